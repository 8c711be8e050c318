import { pets, runService } from 'animal-store';
import { orders } from './orders.feature.js';

/** Runs the Animal Store with the feature `pets` and this one. */
await runService([pets, orders]);
