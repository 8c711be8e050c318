import { pets, runService } from 'animal-store';
import { things } from './index.js';

/** The Animal Store with this feature. With arguments it runs a command. */
await runService([pets, things]);
