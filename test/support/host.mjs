/**
 * Starts the service as another team's `main.ts` does. Its features are `pets` and then those of TEST_FEATURES:
 * comma-separated paths of TypeScript files, relative to this folder. TEST_NOW (ISO 8601) stops the clock at that
 * moment. TEST_LATER_MS sets it that many milliseconds ahead.
 */
import './load-typescript.mjs';
import {
  Clock,
  crashOnUnknownFault,
  createApplication,
  exitOnFault,
  pets,
  runService,
  stopOnSignal,
  SystemClock,
  welcome,
} from 'animal-store';

class FixedClock extends Clock {
  #now;
  constructor(now) {
    super();
    this.#now = now;
  }
  now() {
    return this.#now;
  }
}

class LaterClock extends Clock {
  #by;
  constructor(by) {
    super();
    this.#by = by;
  }
  now() {
    return Date.now() + this.#by;
  }
}

const { TEST_FEATURES = '', TEST_NOW, TEST_LATER_MS } = process.env;

await exitOnFault(async () => {
  const files = TEST_FEATURES.split(',').filter((file) => file !== '');
  const modules = await Promise.all(files.map((file) => import(new URL(file, import.meta.url).href)));
  const features = [pets, ...modules.flatMap((module) => Object.values(module))];
  if (process.argv.length > 2) return runService(features);
  const starting = createApplication({ features, clock: chosenClock() });
  stopOnSignal(starting);
  const application = await starting;
  crashOnUnknownFault(application);
  await application.start();
  await application.ready();
  await welcome(application);
});

function chosenClock() {
  if (TEST_NOW !== undefined) return new FixedClock(Date.parse(TEST_NOW));
  return TEST_LATER_MS === undefined ? new SystemClock() : new LaterClock(Number(TEST_LATER_MS));
}
