import {
  BadRequestException,
  Body,
  Controller,
  createParamDecorator,
  DefaultValuePipe,
  Delete,
  Get,
  Headers,
  HttpCode,
  Injectable,
  Module,
  Param,
  ParseArrayPipe,
  ParseBoolPipe,
  ParseDatePipe,
  ParseEnumPipe,
  ParseFloatPipe,
  ParseIntPipe,
  ParseUUIDPipe,
  Patch,
  Post,
  Put,
  Query,
  Req,
  UseGuards,
  UsePipes,
  ValidationPipe,
  type ArgumentMetadata,
  type CanActivate,
  type ExecutionContext,
  type PipeTransform,
} from '@nestjs/common';
import { ApiBody, ApiQuery, PartialType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsBoolean, IsInt, IsOptional, IsString, Length, Max, Min, ValidateNested } from 'class-validator';
import type { Request } from 'express';

enum Wood {
  Oak = 'oak',
  Pine = 'pine',
}

class ShelfParams {
  @IsInt()
  @Min(1)
  @Type(() => Number)
  room: number;

  @IsString()
  @Length(1, 3)
  shelf: string;
}

class Board {
  @IsInt()
  @Min(1)
  @Max(9)
  width: number;
}

class CreateShelfDto {
  @IsString()
  @Length(1, 20)
  name: string;

  @IsInt()
  @IsOptional()
  height?: number;

  @ValidateNested()
  @Type(() => Board)
  @IsOptional()
  board?: Board;
}

class UpdateShelfDto extends PartialType(CreateShelfDto) {}

class ListShelvesDto {
  @IsOptional()
  @IsInt()
  @Min(1)
  @Type(() => Number)
  page?: number = 1;

  @IsOptional()
  @IsBoolean()
  @Type(() => Boolean)
  empty?: boolean;
}

interface Note {
  readonly text: string;
}

@Injectable()
class TrimPipe implements PipeTransform<unknown, string> {
  transform(value: unknown, { data }: ArgumentMetadata): string {
    if (typeof value !== 'string') throw new BadRequestException(`${String(data)} should be text`);
    return value.trim();
  }
}

const Language = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<Request>();
  return request.headers['accept-language'] ?? 'none';
});
const Paging = createParamDecorator((fallback: number, context: ExecutionContext) => {
  const { page, tag } = context.switchToHttp().getRequest<Request>().query;
  return { page: Number(page ?? fallback), tag };
});

/** Reads the body in a guard, as a login strategy does. */
@Injectable()
class NamedGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { body } = context.switchToHttp().getRequest<Request & { body?: { name?: string } }>();
    return body?.name === 'Ada';
  }
}

@Controller('shelves')
class ShelvesController {
  @Get()
  findAll(@Query() query: ListShelvesDto) {
    return query;
  }

  @Get('search')
  search(
    @Query('page', new DefaultValuePipe(1), ParseIntPipe) page: number,
    @Query('wood', new ParseEnumPipe(Wood, { optional: true })) wood: Wood | undefined,
    @Query('tall', new DefaultValuePipe(false), ParseBoolPipe) tall: boolean,
    @Query('ids', new ParseArrayPipe({ items: Number, separator: ',', optional: true })) ids: number[] | undefined,
    @Query('ratio', new ParseFloatPipe({ optional: true })) ratio: number | undefined,
  ) {
    return { page, wood, tall, ids, ratio };
  }

  @Get('plain')
  @ApiQuery({ name: 'name', description: 'Part of a name' })
  plain(@Query('limit') limit: number, @Query('open') open: boolean, @Query('name') name?: string) {
    return { limit, open, name };
  }

  @Get('any')
  any(@Query() query: Record<string, unknown>) {
    return query;
  }

  @Get('tags')
  tags(@Query('tag') tags: string[]) {
    return { tags };
  }

  @Get('decorated')
  decorated(@Language() language: string, @Paging(3) paging: object, @Headers('x-card') card: string) {
    return { language, paging, card };
  }

  @Get('rooms/:room/:shelf')
  inRoom(@Param() params: ShelfParams) {
    return { params, kind: typeof params.room };
  }

  @Get('uuid/:id')
  byUuid(@Param('id', new ParseUUIDPipe({ version: '4' })) id: string) {
    return { id };
  }

  @Get(':id')
  findOne(@Param('id', ParseIntPipe) id: number) {
    return { id, kind: typeof id };
  }

  @Post()
  create(@Body() shelf: CreateShelfDto) {
    return { id: 1, shelf };
  }

  @Post('named')
  @HttpCode(200)
  named(@Body('name') name: string, @Body('height') height?: number) {
    return { name, height };
  }

  @Post('wrapped')
  wrapped(@Body('shelf') shelf: CreateShelfDto) {
    return { isShelf: shelf instanceof CreateShelfDto, shelf };
  }

  @Post('parts')
  @HttpCode(200)
  parts(
    @Body('board') board: Board,
    @Body('since', ParseDatePipe) since: Date,
    @Body('open') open: boolean,
    @Body('tags') tags: string[],
    @Body('more') more: object,
  ) {
    return { isBoard: board instanceof Board, since, open, tags, more };
  }

  @Post('described')
  @HttpCode(200)
  @ApiBody({ type: CreateShelfDto })
  described(@Body('name') name: string, @Body('height') height?: number) {
    return { name, height };
  }

  @Post('piped/:id')
  piped(@Param('id', ParseIntPipe) id: number, @Body('name', TrimPipe) name: string, @Body('by', TrimPipe) by: string) {
    return { id, name, by };
  }

  @Post('note')
  note(@Body() note: Note) {
    return note;
  }

  @Post('list')
  list(@Body(new ParseArrayPipe({ items: CreateShelfDto })) shelves: CreateShelfDto[]) {
    return shelves;
  }

  @Post('guarded')
  @UseGuards(NamedGuard)
  guarded(@Req() request: Request) {
    return request.body as unknown;
  }

  @Put('whole')
  @UsePipes(new ValidationPipe({ transform: true, whitelist: true }))
  whole(@Body() shelf: CreateShelfDto) {
    return shelf;
  }

  @Patch(':id')
  update(@Param('id', ParseIntPipe) id: number, @Body() changes: UpdateShelfDto) {
    return { id, changes };
  }

  @Delete(':id')
  @HttpCode(204)
  remove(@Param('id', ParseIntPipe) _id: number): void {
    return undefined;
  }
}

@Module({ controllers: [ShelvesController] })
export class ShelvesModule {}
