import {
  Column,
  CreateDateColumn,
  Entity,
  JoinTable,
  ManyToMany,
  ManyToOne,
  OneToMany,
  PrimaryGeneratedColumn,
  UpdateDateColumn,
  type Relation,
} from 'typeorm';
import { Comment } from '../comments/comment.entity.js';
import { Tag } from '../tags/tag.entity.js';
import { User } from '../users/user.entity.js';

export enum ArticleStatus {
  Draft = 'draft',
  Published = 'published',
}

@Entity('gazette_article')
export class Article {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ length: 150, unique: true })
  slug: string;

  @Column({ length: 120 })
  title: string;

  @Column({ length: 250, default: '' })
  description: string;

  @Column('text')
  body: string;

  @Column({ type: 'varchar', length: 20, default: ArticleStatus.Published })
  status: ArticleStatus;

  @Column({ type: 'int', default: 0 })
  favouritesCount: number;

  @CreateDateColumn()
  createdAt: Date;

  @UpdateDateColumn()
  updatedAt: Date;

  @ManyToOne(() => User, (user) => user.articles, { onDelete: 'CASCADE' })
  author: Relation<User>;

  @OneToMany(() => Comment, (comment) => comment.article)
  comments: Comment[];

  @ManyToMany(() => Tag)
  @JoinTable({
    name: 'gazette_article_tag',
    joinColumn: { name: 'articleId' },
    inverseJoinColumn: { name: 'tagId' },
  })
  tags: Tag[];

  @ManyToMany(() => User, (user) => user.favourites)
  favouritedBy: User[];
}
