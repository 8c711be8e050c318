import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Matches, MaxLength, MinLength, IsOptional, IsString } from 'class-validator';
import { IsInt64 } from './int64.js';

export class NewOrderBody {
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 1, example: 1 })
  @IsInt64(1n)
  petId: bigint;

  @ApiProperty({ minLength: 1, maxLength: 255, example: 'Ada' })
  @IsString()
  @MinLength(1)
  @MaxLength(255)
  @Matches(/^(?!\s*$)[^\p{Cc}]*$/u)
  buyer: string;
}

export class OrderBody extends NewOrderBody {
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 1, example: 1 })
  id: bigint;
}

export class ListOrdersQuery {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 100, default: 20 })
  @IsOptional()
  @Matches(/^([1-9][0-9]?|100)$/)
  limit: string = '20';

  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  cursor?: string;
}
