import {
  Column,
  CreateDateColumn,
  DeleteDateColumn,
  Entity,
  JoinColumn,
  ManyToOne,
  OneToMany,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  VersionColumn,
} from 'typeorm';

@Entity('library_author')
export class Author {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id: bigint;

  @Column({ length: 100, unique: true })
  name: string;

  @OneToMany(() => Book, (book) => book.author, { cascade: true })
  books: Book[];
}

@Entity('library_book')
export class Book {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'varchar', length: 100 })
  title: string;

  @Column({ type: 'int', default: 7 })
  shelf: number;

  @Column({ type: 'bigint', name: 'serial_number' })
  serial: string;

  @Column({ type: 'decimal', precision: 10, scale: 2 })
  price: string;

  @Column({ type: 'boolean', name: 'is_lent' })
  isLent: boolean;

  @Column({ type: 'json' })
  tags: object;

  @Column({ type: 'blob' })
  cover: Buffer;

  @Column({ type: 'text' })
  summary: string;

  @Column({ type: 'datetime', precision: 3, name: 'bought_at' })
  boughtAt: Date;

  @Column({ type: 'date', name: 'printed_on' })
  printedOn: string;

  @VersionColumn()
  version: number;

  @CreateDateColumn({ name: 'created_at' })
  createdAt: Date;

  @DeleteDateColumn({ name: 'deleted_at' })
  deletedAt: Date | null;

  @ManyToOne(() => Author, (author) => author.books)
  @JoinColumn({ name: 'author_id' })
  author: Author;
}

/** A row that many requests want at once. */
@Entity('library_shelf')
export class Shelf {
  @PrimaryColumn({ type: 'int' })
  id: number;

  @Column({ type: 'int' })
  books: number;
}

/** What the subscriber wrote. */
@Entity('library_entry')
export class Entry {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ length: 100 })
  author: string;
}
