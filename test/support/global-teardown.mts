import './global-setup.mts';
import { sweepScratch } from './scratch.ts';

/** Runs once, after the workers have ended. */
export default async function tearDown(): Promise<void> {
  await globalThis.testServer?.stop();
  sweepScratch();
}
