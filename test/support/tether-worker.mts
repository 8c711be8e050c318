/**
 * Loaded by `node --import` into Jest and, with its arguments, into each of its workers. A worker whose Jest was killed
 * would wait for ever with the services that it started; it leaves instead, and they with it (`tethered.ts`).
 */
import { sweepScratch } from './scratch.ts';

// A `disconnect` listener would keep the worker alive at its orderly end, which comes when nothing is left to wait for.
if (process.connected) setInterval(() => process.connected || process.exit(1), 500).unref();

process.once('exit', () => sweepScratch(process.pid));
