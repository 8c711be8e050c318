import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { defineFeature } from 'animal-store';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

@Entity('invoice')
class Invoice {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'decimal', precision: 20, scale: 2 })
  total: string;
}

@Module({ imports: [TypeOrmModule.forFeature([Invoice])] })
class InvoicesModule {}

export const invoices = defineFeature({ name: 'invoices', platform: '^1.0.0', module: InvoicesModule });
