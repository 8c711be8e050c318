/** Features that may not start: together with `pets`, they have every violation that the platform checks for. */
import { All, Controller, Get, Global, Module, Post, Query, type CanActivate } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiExcludeEndpoint, ApiOkResponse, ApiOperation, ApiProperty, ApiSchema } from '@nestjs/swagger';
import {
  defineErrorCode,
  defineFeature,
  EnumParameter,
  EnumProperty,
  Raises,
  RequireScope,
  TextProperty,
} from 'animal-store';
import { Column, DataSource, Entity, PrimaryColumn, type MigrationInterface } from 'typeorm';

@Entity('pet')
class OtherPet {
  @PrimaryColumn()
  id: number;
}

@Entity('api_key')
class OtherKey {
  @PrimaryColumn()
  id: number;
}

@Entity('migration_lock')
class OtherLock {
  @PrimaryColumn()
  id: number;

  @Column()
  owner: string;
}

class NoEntity {
  readonly id: number;
}

class Migration {
  async up(): Promise<void> {}
  async down(): Promise<void> {}
}
class CreatePets1764201600000 extends Migration implements MigrationInterface {}
class CreateApiKeys1764201500000 extends Migration implements MigrationInterface {}
class Undated extends Migration implements MigrationInterface {}

const unheard = defineErrorCode('unheard_of', 'not_found', 'Declared by nobody.');

@ApiSchema({ name: 'Error' })
class OtherErrorBody {
  @TextProperty({ maxLength: 10 })
  text: string;
}

@ApiSchema({ name: 'Pet' })
class OtherPetBody {
  @EnumProperty({ enum: ['sold'], enumName: 'PetStatus' })
  status: string;

  @ApiProperty({ type: () => [OtherErrorBody] })
  errors: OtherErrorBody[];
}

/** This name is allowed: a class of query parameters is no schema of the document. */
@ApiSchema({ name: 'NewPet' })
class OtherPetsQuery {
  @EnumParameter({ enum: ['available', 'pending', 'sold'], enumName: 'PetStatus' })
  status?: string;
}

@Controller('pets')
class OtherPetsController {
  @Get()
  @ApiOperation({ operationId: 'listPets' })
  @ApiOkResponse({ type: [OtherPetBody] })
  listPets(@Query() query: OtherPetsQuery): object {
    return query;
  }

  @Get('search')
  searchPets(): void {}

  @Post(':id')
  @RequireScope('cats:read')
  @Raises(unheard)
  renamePet(): void {}

  @All('all')
  allPets(): void {}

  @Get('by/name')
  petsByName(@Query('name') name: string): string {
    return name;
  }

  @Get('hidden/secret')
  @ApiExcludeEndpoint()
  hiddenPets(): void {}
}

class AllowAll implements CanActivate {
  /** Throws: nothing of a feature that may not start is ever run. */
  constructor() {
    throw new Error('A feature that was refused has run');
  }
  canActivate(): boolean {
    return true;
  }
}

@Global()
@Module({
  providers: [
    { provide: APP_GUARD, useClass: AllowAll },
    { provide: APP_PIPE, useValue: {} },
    { provide: APP_FILTER, useValue: {} },
    { provide: APP_INTERCEPTOR, useValue: {} },
    { provide: DataSource, useValue: {} },
  ],
})
class DeepModule {}

@Module({
  imports: [DeepModule, TypeOrmModule.forFeature([OtherPet, OtherKey, OtherLock, NoEntity])],
  controllers: [OtherPetsController],
})
class ImpostorModule {}

export const impostor = defineFeature({
  name: 'impostor',
  platform: '^2.0.0',
  module: ImpostorModule,
  migrations: [CreatePets1764201600000, CreateApiKeys1764201500000, Undated],
  scopes: { 'pets:read': 'Once more' },
  errors: [
    defineErrorCode('pet_not_found', 'not_found', 'Once more.'),
    defineErrorCode('internal_error', 'internal', 'Once more.'),
  ],
});

@Module({})
class EmptyModule {}

export const twin = defineFeature({ name: 'impostor', platform: '^1.0.0', module: EmptyModule });
export const nameless = defineFeature({ name: 'No Name', platform: 'latest', module: EmptyModule });
