import { createApplication } from '../application.js';
import { features } from '../features.js';
import { loadConfig, loadEnvironment } from '../platform/config/index.js';
import {
  animalStore,
  buildOpenApiDocument,
  documentTexts,
  printedServers,
  type DocumentTexts,
} from '../platform/docs/index.js';
import { createLog } from '../platform/logging/index.js';
import { RouteTable } from '../platform/routing/index.js';
import { version } from '../platform/version.js';

/** The document of the features of this build, made without a database and without listening. */
export async function printedDocument(): Promise<DocumentTexts> {
  const config = loadConfig(loadEnvironment());
  const log = await createLog({ ...config.log, stream: 'stderr', version, context: () => ({}) });
  const { nest } = await createApplication({ features, config, log });
  const { publicBaseUrl, stagingBaseUrl } = config.http;
  return documentTexts(
    buildOpenApiDocument({
      application: nest,
      product: animalStore,
      features,
      routes: nest.get(RouteTable).all(),
      servers: printedServers(publicBaseUrl, stagingBaseUrl),
    }),
  );
}
