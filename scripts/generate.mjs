/**
 * Writes generated files. Without a name it lists them.
 *
 *   npm run generate -- NAME
 */
import { runByName } from './run-by-name.mjs';

runByName('generate', {
  api: { meaning: 'etc/, what the package exports', script: 'report-api.mjs', needsBuild: true },
  manifests: { meaning: 'deploy/rendered, the manifests for a cluster', script: 'manifests.mjs', args: ['--write'] },
  pictures: { meaning: 'docs/pictures, the page at /docs', script: 'pictures.mjs', needsBuild: true },
  sbom: { meaning: 'artifacts/sbom.cdx.json, the packages of a release', script: 'sbom.mjs' },
});
