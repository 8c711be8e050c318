import { Controller, Get, Injectable, Module, Param } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { defineFeature, pets, PetsCatalogue } from 'animal-store';
import { Entity, PrimaryColumn, type MigrationInterface, type QueryRunner } from 'typeorm';

@Entity('adoption')
class Adoption {
  @PrimaryColumn({ type: 'bigint' })
  id: bigint;
}

/** Its timestamp is older than those of pets, but it runs later: features are migrated one after another. */
class CreateAdoptions1500000000000 implements MigrationInterface {
  up(runner: QueryRunner): Promise<unknown> {
    return runner.query('CREATE TABLE adoption (id BIGINT NOT NULL PRIMARY KEY)');
  }
  down(runner: QueryRunner): Promise<unknown> {
    return runner.query('DROP TABLE adoption');
  }
}

class FillAdoptions1500000000001 implements MigrationInterface {
  up(runner: QueryRunner): Promise<unknown> {
    return runner.query('INSERT INTO adoption (id) VALUES (1), (2)');
  }
  down(runner: QueryRunner): Promise<unknown> {
    return runner.query('DELETE FROM adoption');
  }
}

@Injectable()
class AdoptionsService {
  constructor(private readonly catalogue: PetsCatalogue) {}

  async nameOf(id: string): Promise<string | undefined> {
    return (await this.catalogue.findPet(BigInt(id)))?.name;
  }
}

@Controller('adoptions')
class AdoptionsController {
  constructor(private readonly adoptions: AdoptionsService) {}

  @Get(':petId')
  async getAdoption(@Param('petId') petId: string): Promise<object> {
    return { name: await this.adoptions.nameOf(petId) };
  }
}

@Module({
  imports: [pets.module, TypeOrmModule.forFeature([Adoption])],
  controllers: [AdoptionsController],
  providers: [AdoptionsService],
})
class AdoptionsModule {}

export const adoptions = defineFeature({
  name: 'adoptions',
  platform: '^1.0.0',
  module: AdoptionsModule,
  migrations: [FillAdoptions1500000000001, CreateAdoptions1500000000000],
});
