/** An ordinary Nest application: a controller, a ValidationPipe, a repository of entities. */
import 'reflect-metadata';
import { ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { PetsModule } from './pets.module.js';

const app = await NestFactory.create(PetsModule, { logger: ['error'] });
app.setGlobalPrefix('v1');
app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true }));
await app.listen(process.env['PORT'] ?? 0, '127.0.0.1');
