import { Idempotent, LocatedBy, Paginated, Raises, RequireScope, Stability, type Page } from 'animal-store';
import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiParam } from '@nestjs/swagger';
import { CreateThingDto, ListThingsQuery, thingDto, ThingDto } from './things.dto.js';
import { thingNotFound } from './things.errors.js';
import { ThingsService } from './things.service.js';

/** The operations. The name of a method is its operationId. */
@Controller('things')
export class ThingsController {
  constructor(private readonly things: ThingsService) {}

  @Get()
  @ApiOkResponse({ description: 'A page, by ascending id.', type: [ThingDto] })
  @RequireScope('things:read')
  @Paginated()
  @Stability('experimental')
  async listThings(@Query() query: ListThingsQuery): Promise<Page<ThingDto>> {
    return query.page(await this.things.listThings({ after: query.after(), limit: query.limit }), thingDto);
  }

  @Post()
  @ApiCreatedResponse({ description: 'Added.', type: ThingDto })
  @RequireScope('things:write')
  @Idempotent()
  @LocatedBy('getThing', { thingId: 'id' })
  @Stability('experimental')
  async createThing(@Body() thing: CreateThingDto): Promise<ThingDto> {
    return thingDto(await this.things.createThing(thing));
  }

  @Get(':thingId')
  @ApiParam({ name: 'thingId', type: 'integer', format: 'int64', example: 1 })
  @ApiOkResponse({ description: 'The object with this id.', type: ThingDto })
  @RequireScope('things:read')
  @Raises(thingNotFound)
  @Stability('experimental')
  async getThing(@Param('thingId') thingId: string): Promise<ThingDto> {
    return thingDto(await this.things.getThing(thingId));
  }
}
