import { Injectable } from '@nestjs/common';
import { DataSource, MoreThan, type Repository } from 'typeorm';
import { Pet } from './pet.entity.js';

@Injectable()
export class PetsService {
  private readonly pets: Repository<Pet>;

  constructor(dataSource: DataSource) {
    this.pets = dataSource.getRepository(Pet);
  }

  list(after: string, limit: number, status?: string): Promise<Pet[]> {
    const where = { id: MoreThan(after), ...(status === undefined ? {} : { status }) };
    return this.pets.find({ where, order: { id: 'ASC' }, take: limit });
  }

  find(id: string): Promise<Pet | null> {
    return this.pets.findOneBy({ id });
  }

  create(pet: Omit<Pet, 'id'>): Promise<Pet> {
    return this.pets.save(this.pets.create(pet));
  }
}
