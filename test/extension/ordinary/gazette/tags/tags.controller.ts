import { CacheInterceptor, CacheTTL } from '@nestjs/cache-manager';
import { Controller, Get, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { TagsService } from './tags.service.js';

@ApiTags('tags')
@Controller('tags')
@UseInterceptors(CacheInterceptor)
export class TagsController {
  constructor(private readonly tags: TagsService) {}

  @Get()
  @CacheTTL(50)
  async findAll() {
    return { tags: await this.tags.findAll() };
  }
}
