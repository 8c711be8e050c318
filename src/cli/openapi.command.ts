import { Command } from 'commander';
import { type DocumentTexts, documentSource, printedServers, writeDocument } from '../platform/docs/index.js';
import { createApplication } from '../application.js';
import { loadConfig, loadEnvironment } from '../platform/config/index.js';
import { startedFeatures } from '../platform/feature-check/index.js';
import type { Feature } from '../platform/feature.js';
import { commandLog } from './command-output.js';

interface OpenapiOptions {
  readonly yaml?: true;
}

/** `openapi`: prints the OpenAPI document that the service serves. */
export function openapiCommand(features: readonly Feature[]): Command {
  const command = new Command('openapi')
    .description('print the OpenAPI document')
    .option('--yaml', 'as YAML instead of JSON');
  return command.action(async (options: OpenapiOptions) => {
    const { json, yaml } = await printedDocument(features);
    command.configureOutput().writeOut?.(options.yaml ? yaml : json);
  });
}

/** Creates the document of these features without a database and without listening. */
async function printedDocument(given: readonly Feature[]): Promise<DocumentTexts> {
  // `readConfig` is not used, because the application reports misspelt variables itself.
  const config = loadConfig(loadEnvironment(), process.stderr.isTTY, given);
  const features = startedFeatures(given, config);
  const log = await commandLog(config.log);
  // `createApplication` needs the whole list to check FEATURES_OFF, and removes those features itself.
  const { nest } = await createApplication({ features: given, config, log });
  const { publicBaseUrl, stagingBaseUrl } = config.http;
  try {
    return await writeDocument(documentSource(nest, features, printedServers(publicBaseUrl, stagingBaseUrl)));
  } finally {
    // No feature has started. This closes what constructors have opened, as far as possible.
    await nest.close().catch(() => undefined);
  }
}
