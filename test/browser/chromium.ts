import { chromium, type Browser } from 'playwright-core';
import { findProgram } from '../support/programs.js';

/** A host name that is not localhost. Only the browser resolves it, to this machine. */
export const OTHER_HOST = 'animals.test';

/** Turns off what a browser does by itself, so that it does not look like a request of the page. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--host-resolver-rules=MAP ${OTHER_HOST} 127.0.0.1`,
];

/** The Chromium of this machine. Playwright installs none. */
export const chromiumPath = findProgram('chromium', 'chromium-browser', 'google-chrome');

export function launchChromium(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('There is no Chromium on this machine: apt-get install chromium');
  return chromium.launch({ executablePath: chromiumPath, args: FLAGS });
}
