import { Body, Controller, Get, Module, Param, ParseIntPipe, Post, Query } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { defineFeature, Idempotent } from 'animal-store';
import { IsString, Length } from 'class-validator';
import { Acquisitions, Journal } from './library/acquisitions.service.js';
import { CreateLibrary1764400000000 } from './library/create-library.js';
import { Author, Book, Entry, Shelf } from './library/entities.js';
import { Ids } from './library/ids.service.js';
import { Library } from './library/library.service.js';

class NewAuthor {
  @IsString()
  @Length(1, 100)
  name: string;
}

interface AuthorView {
  readonly id: bigint;
  readonly name: string;
}

/** Endpoints that clients use while a test harms the database. */
@Controller('library')
class AcquisitionsController {
  constructor(private readonly acquisitions: Acquisitions) {}

  @Post('authors')
  @Idempotent()
  async acquire(@Body() { name }: NewAuthor): Promise<AuthorView> {
    return this.view(await this.acquisitions.acquire(name));
  }

  @Post('notes')
  @Idempotent()
  async note(@Body() { name }: NewAuthor): Promise<AuthorView> {
    return this.view(await this.acquisitions.note(name));
  }

  @Get('authors')
  async page(@Query('skip', ParseIntPipe) skip: number): Promise<{ authors: AuthorView[]; count: number }> {
    const [authors, count] = await this.acquisitions.page(skip);
    return { authors: authors.map((author) => this.view(author)), count };
  }

  @Post('moves/:from/:to')
  async move(
    @Param('from', ParseIntPipe) from: number,
    @Param('to', ParseIntPipe) to: number,
  ): Promise<{ books: number }> {
    return { books: await this.acquisitions.move(from, to) };
  }

  private view({ id, name }: Author): AuthorView {
    return { id, name };
  }
}

@Controller('library')
class LibraryController {
  constructor(
    private readonly library: Library,
    private readonly acquisitions: Acquisitions,
    private readonly exact: Ids,
  ) {}

  @Post('runs/:what/:name')
  @Idempotent()
  async run(@Param('what') what: string, @Param('name') name: string): Promise<object> {
    const { library, acquisitions } = this;
    const works: Record<string, () => Promise<unknown>> = {
      write: async () => ({ id: (await library.write(name)).id }),
      values: () => library.values(name),
      queries: () => library.queries(name),
      stale: () => library.stale(name),
      violations: () => library.violations(name),
      together: () => library.together(name),
      ids: () => library.ids(),
      'wrong-ids': () => this.exact.wrong(name),
      acquire: async () => ({ name: (await acquisitions.acquire(name)).name }),
      compare: () => acquisitions.compare(1, 2),
      unlocked: () => acquisitions.mistake('unlocked', name),
      column: () => acquisitions.mistake('column', name),
      ended: () => acquisitions.mistake('ended', name),
      fail: async () => {
        await library.write(name);
        throw new Error('after the write');
      },
    };
    return { answer: await works[what]?.() };
  }
}

@Module({
  imports: [TypeOrmModule.forFeature([Author, Book, Entry, Shelf])],
  controllers: [AcquisitionsController, LibraryController],
  providers: [Acquisitions, Ids, Journal, Library],
})
class LibraryModule {}

export const library = defineFeature({
  name: 'library',
  platform: '^1.0.0',
  module: LibraryModule,
  migrations: [CreateLibrary1764400000000],
});
