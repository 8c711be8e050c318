import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

@Entity('gazette_tag')
export class Tag {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ length: 30, unique: true })
  name: string;
}
