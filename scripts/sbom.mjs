/**
 * Writes a CycloneDX bill of materials of the service to `artifacts/sbom.cdx.json`. The same lock file gives the same
 * file. `npm sbom --omit dev` also omits packages that development dependencies share with the service, so the packages
 * for development are removed here.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const shipped = new Set(
  Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .map(([path, { name, version }]) => `${name ?? path.slice(path.lastIndexOf('node_modules/') + 13)}@${version}`),
);

const options = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
const bom = JSON.parse(execFileSync('npm', ['sbom', ...options], { maxBuffer: 2 ** 26 }));
delete bom.serialNumber;
delete bom.metadata.timestamp;
bom.metadata.component.name = packages[''].name;
bom.components = bom.components.filter((component) => shipped.has(component['bom-ref']));
const isKept = (reference) => shipped.has(reference) || reference === bom.metadata.component['bom-ref'];
bom.dependencies = bom.dependencies
  .filter(({ ref }) => isKept(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isKept) }));
mkdirSync('artifacts', { recursive: true });
writeFileSync('artifacts/sbom.cdx.json', `${JSON.stringify(bom, null, 2)}\n`);
