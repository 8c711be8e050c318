import { Type } from 'class-transformer';
import { IsInt, IsString, Matches, Min } from 'class-validator';

export class CommentParams {
  @IsString()
  @Matches(/^[a-z0-9-]{1,150}$/)
  slug: string;

  @Type(() => Number)
  @IsInt()
  @Min(1)
  id: number;
}
