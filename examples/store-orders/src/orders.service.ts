import { ApiError, Clock, PetsCatalogue, type Slice } from 'animal-store';
import { Injectable } from '@nestjs/common';
import { OrderStatus, type Order } from './order.entity.js';
import { orderedPetMissing, orderedPetSold } from './orders.errors.js';
import { OrdersRepository, type OrderSelection } from './orders.repository.js';

/** The business rules of orders. */
@Injectable()
export class OrdersService {
  constructor(
    private readonly orders: OrdersRepository,
    private readonly pets: PetsCatalogue,
    private readonly clock: Clock,
  ) {}

  listOrders(selection: OrderSelection): Promise<Slice<Order>> {
    return this.orders.list(selection);
  }

  /** @throws {ApiError} ordered_pet_missing, ordered_pet_sold. */
  async placeOrder(order: Pick<Order, 'petId' | 'quantity'>): Promise<Order> {
    const pet = await this.pets.findPet(order.petId);
    if (pet === undefined) throw new ApiError(orderedPetMissing);
    if (pet.status === 'sold') throw new ApiError(orderedPetSold);
    return this.orders.insert({ ...order, status: OrderStatus.placed, placedAt: BigInt(this.clock.now()) });
  }
}
