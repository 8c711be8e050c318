import 'reflect-metadata';
import { expect, it } from '@jest/globals';
import { NestFactory } from '@nestjs/core';
import { DataSource, EntityManager } from 'typeorm';
import { loadConfig } from '../config/index.js';
import { createDataSource } from './data-source.js';
import { DatabaseModule } from './database.module.js';

it('gives the data source to whoever asks for one, and leaves it to others to open it', async () => {
  const source = await createDataSource(loadConfig({ NODE_ENV: 'test', DATABASE_URL: 'sqlite::memory:' }), []);
  const application = await NestFactory.createApplicationContext(DatabaseModule.on(source), { logger: false });
  expect(application.get(DataSource)).toBe(source);
  expect(application.get(EntityManager)).toBe(source.manager);
  expect(source.isInitialized).toBe(false);
  await application.close();
});
