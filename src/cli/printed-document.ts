import { createApplication } from '../application.js';
import { loadConfig, loadEnvironment } from '../platform/config/index.js';
import { documentSource, printedServers, writeDocument, type DocumentTexts } from '../platform/docs/index.js';
import { startedFeatures } from '../platform/feature-check/index.js';
import type { Feature } from '../platform/feature.js';
import { commandLog } from './command-log.js';

/** The document of the features of this build, made without a database and without listening. */
export async function printedDocument(given: readonly Feature[]): Promise<DocumentTexts> {
  // Not by readConfig: the application tells of what looks misspelt itself.
  const config = loadConfig(loadEnvironment(), process.stderr.isTTY, given);
  const features = startedFeatures(given, config);
  const log = await commandLog(config.log);
  // Those that are off it takes away itself, and knows their names by the whole list.
  const { nest } = await createApplication({ features: given, config, log });
  const { publicBaseUrl, stagingBaseUrl } = config.http;
  try {
    return await writeDocument(documentSource(nest, features, printedServers(publicBaseUrl, stagingBaseUrl)));
  } finally {
    // No feature has started; what its constructors opened is closed as far as that goes.
    await nest.close().catch(() => undefined);
  }
}
