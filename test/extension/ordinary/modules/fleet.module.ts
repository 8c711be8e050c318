import { Body, Controller, Get, Module, Param, ParseIntPipe, Post } from '@nestjs/common';
import { IsString } from 'class-validator';

class NameDto {
  @IsString()
  name: string;
}

/** Two controllers whose handlers have the same ordinary names. */
@Controller('ships')
class ShipsController {
  @Get()
  findAll() {
    return ['ship'];
  }

  @Get(':id')
  findOne(@Param('id', ParseIntPipe) id: number) {
    return { ship: id };
  }

  @Post()
  create(@Body() { name }: NameDto) {
    return { ship: name };
  }
}

@Controller('captains')
class CaptainsController {
  @Get()
  findAll() {
    return ['captain'];
  }

  @Get(':id')
  findOne(@Param('id', ParseIntPipe) id: number) {
    return { captain: id };
  }

  @Post()
  create(@Body() { name }: NameDto) {
    return { captain: name };
  }
}

@Module({ controllers: [ShipsController, CaptainsController] })
export class FleetModule {}
