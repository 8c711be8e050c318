import { Controller, HttpCode, Module, Post, UploadedFile, UseInterceptors } from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-express';
import { BodyLimit, defineFeature } from 'animal-store';

@Controller('albums')
class AlbumsController {
  /** Accepts more than the default limit of 16 KiB. */
  @Post('pictures')
  @HttpCode(200)
  @BodyLimit(40_000)
  @UseInterceptors(FileInterceptor('file'))
  addPicture(@UploadedFile() file: Express.Multer.File): object {
    return { bytes: file.size };
  }
}

@Module({ controllers: [AlbumsController] })
class AlbumsModule {}

export const albums = defineFeature({ name: 'albums', platform: '^1.0.0', module: AlbumsModule });
