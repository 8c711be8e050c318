import { Controller, Module, Param, Post } from '@nestjs/common';
import { defineFeature } from 'animal-store';
import { DataSource } from 'typeorm';

/** Values that no statement accepts, whatever their types say. */
const NO_VALUES: Readonly<Record<string, unknown>> = { undefined: undefined, array: ['canary-4711'], nan: NaN };

@Controller('slips')
class SlipsController {
  constructor(private readonly dataSource: DataSource) {}

  @Post(':what')
  async slip(@Param('what') what: string): Promise<object> {
    const values = ['Slip', 1n, NO_VALUES[what] as string];
    await this.dataSource.query('INSERT INTO pet (name, category_id, status) VALUES (?, ?, ?)', values);
    return {};
  }
}

@Module({ controllers: [SlipsController] })
class CarelessModule {}

export const careless = defineFeature({ name: 'slips', platform: '^1.0.0', module: CarelessModule });
