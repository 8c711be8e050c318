import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { AppModule } from './app.module.js';
import { exactNumber, parseExactJson, rawBigint } from './exact-json.js';
import { ErrorFilter } from './error.filter.js';
import { methodNotAllowed } from './method-not-allowed.js';

const app = await NestFactory.create<NestExpressApplication>(AppModule, { bodyParser: false, logger: ['error'] });
app.set('json replacer', rawBigint);
app.set('query parser', 'simple');
app.useBodyParser('text', { type: 'application/json', limit: '16kb' });
app.use(parseExactJson(exactNumber));
app.use('/v1/store/orders', methodNotAllowed('GET', 'HEAD', 'POST'));
app.setGlobalPrefix('v1', { exclude: ['readyz'] });
app.useGlobalFilters(new ErrorFilter());
app.enableShutdownHooks();

const outline = new DocumentBuilder().setTitle('Orders').setVersion('1.0.0').addBearerAuth().build();
const operationIdFactory = (_controller: string, method: string): string => method;
const document = SwaggerModule.createDocument(app, outline, { operationIdFactory });
SwaggerModule.setup('docs', app, document, { jsonDocumentUrl: 'openapi.json' });

await app.listen(process.env['PORT'] ?? 3000, '127.0.0.1');
process.stdout.write(`${JSON.stringify({ event: 'app.ready', url: await app.getUrl() })}\n`);
