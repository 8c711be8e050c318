import { Command } from 'commander';
import type { DocumentTexts } from '../platform/docs/index.js';

interface OpenapiOptions {
  readonly yaml?: true;
}

/**
 * `openapi`: prints the OpenAPI document that the service serves.
 *
 * @param makeTexts puts the application together, without its database, and writes its document down.
 */
export function openapiCommand(makeTexts: () => Promise<DocumentTexts>): Command {
  const command = new Command('openapi')
    .description('print the OpenAPI document')
    .option('--yaml', 'as YAML instead of JSON');
  return command.action(async (options: OpenapiOptions) => {
    const { json, yaml } = await makeTexts();
    command.configureOutput().writeOut?.(options.yaml ? yaml : json);
  });
}
