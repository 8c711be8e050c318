/**
 * Writes one of the files that are made by a program; without a name it lists them.
 *
 *   npm run generate -- NAME
 */
import { runByName } from './run-by-name.mjs';

runByName('generate', {
  api: { meaning: 'etc/, what the package exports', script: 'report-api.mjs', needsBuild: true },
  manifests: { meaning: 'deploy/rendered, what a cluster is given', script: 'manifests.mjs', args: ['--write'] },
  pictures: { meaning: 'docs/pictures, the page at /docs', script: 'pictures.mjs', needsBuild: true },
  sbom: { meaning: 'artifacts/sbom.cdx.json, what a release is made of', script: 'sbom.mjs' },
});
