import { features } from './features.js';
import { runService } from './run-service.js';

/** The process: configuration, application, listen, drain. Nothing else. */
await runService(features);
