import { pets, runService } from 'animal-store';
import { things } from './index.js';

/** The Animal Store with this feature beside its own; with arguments, its command line. */
await runService([pets, things]);
