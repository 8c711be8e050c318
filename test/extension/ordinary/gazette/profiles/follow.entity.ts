import { CreateDateColumn, Entity, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { User } from '../users/user.entity.js';

@Entity('gazette_follow')
export class Follow {
  @PrimaryColumn()
  followerId: number;

  @PrimaryColumn()
  followedId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  follower: Relation<User>;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  followed: Relation<User>;

  @CreateDateColumn()
  since: Date;
}
