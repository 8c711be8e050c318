import { pets, runService } from 'animal-store';
import { orders } from './orders.feature.js';

/** The Animal Store with this feature beside its own. */
await runService([pets, orders]);
