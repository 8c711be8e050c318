import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import {
  Body,
  Controller,
  Get,
  Header,
  HttpCode,
  MaxFileSizeValidator,
  Module,
  ParseFilePipe,
  Post,
  Redirect,
  Res,
  Sse,
  StreamableFile,
  UploadedFile,
  UploadedFiles,
  UseInterceptors,
  type MessageEvent,
} from '@nestjs/common';
import { FileInterceptor, FilesInterceptor } from '@nestjs/platform-express';
import { ApiConsumes, ApiProduces } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, IsString, Length } from 'class-validator';
import type { Response } from 'express';
import { interval, map, of, type Observable } from 'rxjs';

class PrintDto {
  @IsString()
  @Length(1, 20)
  title: string;

  @IsInt()
  @Type(() => Number)
  copies: number;
}

const CSV = 'id;title\n1;Dürer\n';

@Controller('prints')
class PrintsController {
  @Get('export')
  @Header('Content-Type', 'text/csv')
  @Header('Content-Disposition', 'attachment; filename="prints.csv"')
  exported(): string {
    return CSV;
  }

  @Get('documented')
  @ApiProduces('text/csv')
  @Header('Content-Type', 'text/csv')
  documented(): string {
    return CSV;
  }

  @Get('bytes')
  @Header('Content-Type', 'image/png')
  bytes(): StreamableFile {
    return new StreamableFile(Buffer.from([137, 80, 78, 71]), { type: 'image/png', disposition: 'inline' });
  }

  @Get('stream')
  stream(): StreamableFile {
    return new StreamableFile(Readable.from(['one ', 'two ', 'three']), { type: 'text/plain' });
  }

  @Get('lost')
  lost(): StreamableFile {
    return new StreamableFile(createReadStream('/nowhere/secret-4711'));
  }

  @Get('cached')
  @Header('Cache-Control', 'public, max-age=60')
  cached() {
    return { cached: true };
  }

  @Get('passed')
  passed(@Res({ passthrough: true }) response: Response) {
    response.status(203).set('X-Ink', 'black').cookie('print', '7');
    return { passed: true };
  }

  @Get('own')
  own(@Res() response: Response): void {
    response.type('text/html').send('<b>own</b>');
  }

  @Get('later')
  @Redirect('/v1/prints/cached', 302)
  later(): void {
    return undefined;
  }

  @Get('soon')
  soon(): Observable<object> {
    return of({ first: true }, { last: true });
  }

  @Get('problem')
  @Header('Content-Type', 'application/vnd.prints+json')
  problem() {
    return { vendor: true };
  }

  @Sse('ticks')
  ticks(): Observable<MessageEvent> {
    return interval(20).pipe(map((n) => ({ type: 'tick', id: `${n}`, data: { n } })));
  }

  @Sse('quiet')
  quiet(): Observable<MessageEvent> {
    return interval(3_600_000).pipe(map(() => ({ data: 'never' })));
  }

  @Post('upload')
  @HttpCode(200)
  @UseInterceptors(FileInterceptor('file'))
  upload(@UploadedFile() file: Express.Multer.File | undefined, @Body() print: PrintDto) {
    return { bytes: file?.size ?? null, name: file?.originalname ?? null, isPrint: print instanceof PrintDto, print };
  }

  @Post('uploads')
  @HttpCode(200)
  @ApiConsumes('multipart/form-data')
  @UseInterceptors(FilesInterceptor('files', 3))
  uploads(
    @UploadedFiles(new ParseFilePipe({ validators: [new MaxFileSizeValidator({ maxSize: 10 })] }))
    files: Express.Multer.File[],
  ) {
    return { sizes: files.map(({ size }) => size) };
  }
}

@Module({ controllers: [PrintsController] })
export class PrintsModule {}
