import { Controller, Get } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Open } from './api-key.guard.js';

@Controller('readyz')
export class HealthController {
  constructor(private readonly dataSource: DataSource) {}

  @Get()
  @Open()
  async ready(): Promise<object> {
    await this.dataSource.query('SELECT 1');
    return { status: 'ok' };
  }
}
