import { Body, Controller, Get, Module, Post } from '@nestjs/common';
import { defineFeature, TextProperty } from 'animal-store';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { notes as before } from './notes-before.feature.js';

class NewNote {
  @TextProperty({ maxLength: 50 })
  text: string;

  @TextProperty({ maxLength: 20 })
  color: string;
}

/** Adds a column that the previous release does not know, and an index, without locking the table. */
class AddColor1764300300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const isMysql = runner.dataSource.options.type === 'mysql';
    const table = await runner.getTable('note');
    if (table?.findColumnByName('color') === undefined) {
      await runner.query(`ALTER TABLE note ADD COLUMN color VARCHAR(20) NULL${isMysql ? ', ALGORITHM=INSTANT' : ''}`);
    }
    await runner.query(
      isMysql
        ? 'ALTER TABLE note ADD INDEX note_color (color), ALGORITHM=INPLACE, LOCK=NONE'
        : 'CREATE INDEX IF NOT EXISTS note_color ON note (color)',
    );
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE note DROP COLUMN color');
  }
}

@Controller('notes')
class NotesController {
  constructor(private readonly dataSource: DataSource) {}

  @Post()
  async createNote(@Body() { text, color }: NewNote): Promise<object> {
    await this.dataSource.query('INSERT INTO note (text, color) VALUES (?, ?)', [text, color]);
    return { text, color };
  }

  @Get()
  async countNotes(): Promise<object> {
    const [row] = await this.dataSource.query<Record<string, number>[]>(
      'SELECT COUNT(*) AS notes, COUNT(color) AS colored FROM note',
    );
    return { notes: row!['notes'], colored: row!['colored'] };
  }
}

@Module({ controllers: [NotesController] })
class NotesModule {}

/** The next release. */
export const notes = defineFeature({
  name: 'notes',
  platform: '^1.0.0',
  module: NotesModule,
  migrations: [...(before.migrations ?? []), AddColor1764300300000],
});
