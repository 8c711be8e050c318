import { chromium, type Browser } from 'playwright-core';
import { findProgram } from '../support/programs.js';

/** A host name that is not localhost, and resolves to this machine in the browser alone. */
export const OTHER_HOST = 'animals.test';

/** Quiet: nothing that a browser does on its own account may look like a request of the page's. */
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

/** The machine's own Chromium; Playwright brings none. */
export const chromiumPath = findProgram('chromium', 'chromium-browser', 'google-chrome');

export function launchChromium(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('There is no Chromium on this machine: apt-get install chromium');
  return chromium.launch({ executablePath: chromiumPath, args: FLAGS });
}
