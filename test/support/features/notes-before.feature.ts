import { Body, Controller, Get, Module, Post } from '@nestjs/common';
import { defineFeature, TextProperty } from 'animal-store';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';

class NewNote {
  @TextProperty({ maxLength: 50 })
  text: string;
}

class CreateNotes1764300200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const [id, engine] =
      runner.dataSource.options.type === 'mysql'
        ? ['BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY', ' ENGINE = InnoDB']
        : ['INTEGER PRIMARY KEY AUTOINCREMENT', ''];
    await runner.query(`CREATE TABLE IF NOT EXISTS note (id ${id}, text VARCHAR(50) NOT NULL)${engine}`);
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS note');
  }
}

@Controller('notes')
class NotesController {
  constructor(private readonly dataSource: DataSource) {}

  @Post()
  async createNote(@Body() { text }: NewNote): Promise<object> {
    await this.dataSource.query('INSERT INTO note (text) VALUES (?)', [text]);
    return { text };
  }

  @Get()
  async countNotes(): Promise<object> {
    const [row] = await this.dataSource.query<Record<string, number>[]>('SELECT COUNT(*) AS notes FROM note');
    return { notes: row!['notes'] };
  }
}

@Module({ controllers: [NotesController] })
class NotesModule {}

/** The current release. */
export const notes = defineFeature({
  name: 'notes',
  platform: '^1.0.0',
  module: NotesModule,
  migrations: [CreateNotes1764300200000],
});
