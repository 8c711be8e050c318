import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { defineFeature } from 'animal-store';
import { Entity, PrimaryGeneratedColumn } from 'typeorm';

@Entity('receipt')
class Receipt {
  @PrimaryGeneratedColumn()
  id: number;
}

@Module({ imports: [TypeOrmModule.forFeature([Receipt])] })
class ReceiptsModule {}

export const receipts = defineFeature({ name: 'receipts', platform: '^1.0.0', module: ReceiptsModule });
