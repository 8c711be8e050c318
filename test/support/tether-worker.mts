/**
 * Loaded by `node --import` into Jest and, with its arguments, into each worker. If Jest is killed, a worker would wait
 * for ever, with the services that it started. Here it exits, and they end with it (`tethered.ts`).
 */
import { sweepScratch } from './scratch.ts';

// A `disconnect` listener would keep the worker alive when it should end, which is when nothing is left to wait for.
if (process.connected) setInterval(() => process.connected || process.exit(1), 500).unref();

process.once('exit', () => sweepScratch(process.pid));
