/**
 * A plain Nest application as Nest's documentation starts one: Express, `/v1`, a validation pipe. It serves
 * `ordinaryModules` of the TypeScript file PLAIN_MODULES, and logs its address in the format of the service.
 */
import 'reflect-metadata';
import './load-typescript.mjs';
import { ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

const { PLAIN_MODULES, DATABASE_URL } = process.env;
const { ordinaryModules } = await import(new URL(PLAIN_MODULES, import.meta.url).href);
const imports = typeof ordinaryModules === 'function' ? await ordinaryModules(DATABASE_URL) : ordinaryModules;

class ApplicationModule {}
const application = await NestFactory.create({ module: ApplicationModule, imports }, { logger: ['error', 'fatal'] });
application.setGlobalPrefix('v1');
application.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true }));
application.enableShutdownHooks();
await application.listen(0, '127.0.0.1');
const url = `http://127.0.0.1:${application.getHttpServer().address().port}`;
process.stdout.write(`${JSON.stringify({ event: 'app.ready', url, management_url: url })}\n`);
