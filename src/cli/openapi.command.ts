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

/** The document of the features of this build, made without a database and without listening. */
async function printedDocument(given: readonly Feature[]): Promise<DocumentTexts> {
  // Not by readConfig: the application itself reports misspelt names.
  const config = loadConfig(loadEnvironment(), process.stderr.isTTY, given);
  const features = startedFeatures(given, config);
  const log = await commandLog(config.log);
  // It removes those that are off itself, and needs the whole list to know their names.
  const { nest } = await createApplication({ features: given, config, log });
  const { publicBaseUrl, stagingBaseUrl } = config.http;
  try {
    return await writeDocument(documentSource(nest, features, printedServers(publicBaseUrl, stagingBaseUrl)));
  } finally {
    // No feature has started; what its constructors opened is closed as far as that goes.
    await nest.close().catch(() => undefined);
  }
}
