import { Type } from 'class-transformer';
import { IsIn, IsInt, IsNumberString, IsOptional, IsString, Length, Max, Min } from 'class-validator';

const STATUSES = ['available', 'pending', 'sold'];

export class ListPetsQuery {
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  limit: number = 20;

  @IsNumberString({ no_symbols: true })
  cursor: string = '0';

  @IsOptional()
  @IsIn(STATUSES)
  status?: string;
}

export class NewPetBody {
  @IsString()
  @Length(1, 255)
  name: string;

  @IsInt()
  categoryId: number;

  @IsIn(STATUSES)
  status: string = 'available';
}

export interface PetBody {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
  readonly status: string;
}
