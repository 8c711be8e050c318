import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository, type EntityManager } from 'typeorm';
import { Tag } from './tag.entity.js';

@Injectable()
export class TagsService {
  constructor(@InjectRepository(Tag) private readonly tags: Repository<Tag>) {}

  async findAll(): Promise<string[]> {
    const tags = await this.tags.find({ order: { name: 'ASC' } });
    return tags.map(({ name }) => name);
  }

  /** The tags with these names. New ones are created. */
  async named(names: readonly string[], manager: EntityManager): Promise<Tag[]> {
    const tags = manager.getRepository(Tag);
    const known = await tags.findBy({ name: In([...names]) });
    const missing = [...new Set(names)].filter((name) => !known.some((tag) => tag.name === name));
    const made = await tags.save(missing.map((name) => tags.create({ name })));
    return [...known, ...made];
  }
}
