import { BadRequestException, Injectable, type PipeTransform } from '@nestjs/common';

@Injectable()
export class SlugPipe implements PipeTransform<string, string> {
  transform(value: string): string {
    if (!/^[a-z0-9-]{1,150}$/.test(value))
      throw new BadRequestException('A slug has small letters, digits and hyphens');
    return value;
  }
}
