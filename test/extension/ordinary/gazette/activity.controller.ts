import { Controller, Get, Inject } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { ApiTags } from '@nestjs/swagger';
import { ActivityService } from './activity.service.js';
import { gazetteConfig } from './gazette.config.js';

@ApiTags('activity')
@Controller('activity')
export class ActivityController {
  constructor(
    private readonly activity: ActivityService,
    @Inject(gazetteConfig.KEY) private readonly config: ConfigType<typeof gazetteConfig>,
  ) {}

  @Get()
  read() {
    return { ...this.activity.read(), sessionSeconds: this.config.sessionSeconds };
  }
}
