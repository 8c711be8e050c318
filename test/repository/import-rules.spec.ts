import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { removeScratch, scratchFolder } from '../support/scratch.js';

const project = fileURLToPath(new URL('../../', import.meta.url));

/** One import of an invented source tree, and the rule that must refuse it, if any. */
type Case = readonly [from: string, to: string, refusedBy?: string];

const forbidden: readonly Case[] = [
  ['src/pets/starts-main.ts', 'src/main.ts', 'nobody-imports-an-entry'],
  ['src/application/starts-a-command.ts', 'src/cli/keys.command.ts', 'nobody-imports-an-entry'],
  ['src/application/runs-the-service.ts', 'src/run-service.ts', 'only-entries-and-the-public-api-run-the-service'],
  ['src/run-service.ts', 'src/features.ts', 'feature-list-only-from-above'],
  ['src/pets/imports-the-public-api.ts', 'src/index.ts', 'nobody-imports-the-public-api'],
  ['src/pets/imports-the-testing-kit.ts', 'src/testing/index.ts', 'nobody-imports-the-public-api'],
  ['src/client/knows-the-service.ts', 'src/pets/index.ts', 'client-stands-alone'],
  ['src/client/needs-a-package.ts', 'express', 'client-stands-alone'],
  ['src/pets/imports-the-client.ts', 'src/client/index.ts', 'nobody-imports-the-client'],
  ['src/testing/knows-a-feature.ts', 'src/pets/index.ts', 'feature-only-from-the-list'],
  ['src/pets/imports-the-application.ts', 'src/application.ts', 'application-only-from-above'],
  ['src/platform/http/imports-the-application.ts', 'src/application.ts', 'application-only-from-above'],
  ['src/pets/imports-the-list.ts', 'src/features.ts', 'feature-list-only-from-above'],
  ['src/cli/imports-a-feature.ts', 'src/pets/index.ts', 'feature-only-from-the-list'],
  ['src/application.ts', 'src/pets/index.ts', 'feature-only-from-the-list'],
  ['src/features.ts', 'src/pets/pets.service.ts', 'feature-by-its-index'],
  ['src/pets/looks-sideways.ts', 'src/orders/index.ts', 'no-feature-to-feature'],
  ['src/platform/errors/knows-a-feature.ts', 'src/pets/index.ts', 'platform-knows-nothing-above'],
  ['src/platform/knows-the-list.ts', 'src/features.ts', 'platform-knows-nothing-above'],
  ['src/pets/deep-import.ts', 'src/platform/errors/api-error.ts', 'concern-by-its-index'],
  ['src/platform/time.ts', 'src/platform/errors/api-error.ts', 'concern-by-its-index'],
  ['src/platform/http/deep-import.ts', 'src/platform/errors/api-error.ts', 'concern-by-its-index-from-a-concern'],
  ['src/pets/a.controller.ts', 'typeorm', 'controller-knows-no-sql'],
  ['src/pets/b.controller.ts', 'src/pets/pets.repository.ts', 'controller-knows-no-sql'],
  ['src/pets/c.controller.ts', 'src/platform/database/index.ts', 'controller-knows-no-sql'],
  ['src/pets/d.controller.ts', 'src/pets/pet.entity.ts', 'controller-knows-no-sql'],
  ['src/pets/a.service.ts', 'express', 'service-knows-no-http'],
  ['src/pets/b.service.ts', '@nestjs/platform-express', 'service-knows-no-http'],
  ['src/pets/c.service.ts', '@nestjs/swagger', 'service-knows-no-http'],
  ['src/pets/d.service.ts', 'http', 'service-knows-no-http'],
  ['src/pets/e.service.ts', 'src/platform/http/index.ts', 'service-knows-no-http'],
  ['src/pets/f.service.ts', 'src/pets/pets.dto.ts', 'service-knows-no-http'],
  ['src/pets/a.repository.ts', 'src/pets/pets.dto.ts', 'repository-knows-no-http'],
  ['src/pets/b.repository.ts', 'src/pets/pets.service.ts', 'repository-knows-no-http'],
  ['src/pets/cycle-a.ts', 'src/pets/cycle-b.ts', 'no-cycle'],
  ['src/pets/cycle-b.ts', 'src/pets/cycle-a.ts', 'no-cycle'],
  ['test/contract/peeks-inside.ts', 'src/application.ts', 'tests-see-the-outside-only'],
  ['src/pets/imports-a-spec.ts', 'src/pets/pets.spec.ts', 'no-spec-imported'],
  ['src/pets/ships-a-development-package.ts', 'fast-check', 'no-development-package-in-production'],
  ['src/pets/relies-on-luck.ts', 'eslint-scope', 'no-undeclared-package'],
  ['src/pets/imports-nothing.ts', 'no-such-package-at-all', 'resolvable'],
];

const allowed: readonly Case[] = [
  ['src/main.ts', 'src/run-service.ts'],
  ['src/main.ts', 'src/features.ts'],
  ['src/index.ts', 'src/run-service.ts'],
  ['src/run-service.ts', 'src/cli/index.ts'],
  ['src/run-service.ts', 'src/application.ts'],
  ['src/bin.ts', 'src/cli/keys.command.ts'],
  ['src/data-source.ts', 'src/application.ts'],
  ['src/cli/keys.command.ts', 'src/platform/errors/index.ts'],
  ['src/application.ts', 'src/platform/feature.ts'],
  ['src/features.ts', 'src/pets/pets.feature.ts'],
  ['src/index.ts', 'src/pets/index.ts'],
  ['src/index.ts', 'src/application.ts'],
  ['src/testing/test-application.ts', 'src/application.ts'],
  ['src/testing/index.ts', 'src/testing/test-application.ts'],
  ['src/pets/uses-the-testing-kit.spec.ts', 'src/testing/index.ts'],
  ['src/index.ts', 'src/platform/errors/index.ts'],
  ['src/pets/pets.feature.ts', 'src/platform/feature.ts'],
  ['src/pets/pets.controller.ts', 'src/pets/pets.dto.ts'],
  ['src/pets/pets.controller.ts', 'src/pets/pets.service.ts'],
  ['src/pets/pets.service.ts', 'src/pets/pets.repository.ts'],
  ['src/pets/pets.service.ts', '@nestjs/common'],
  ['src/pets/pets.repository.ts', 'src/platform/database/index.ts'],
  ['src/pets/pets.repository.ts', 'typeorm'],
  ['src/pets/pets.spec.ts', 'fast-check'],
  ['src/platform/errors/index.ts', 'src/platform/errors/api-error.ts'],
  ['src/platform/http/index.ts', 'src/platform/errors/index.ts'],
  ['src/platform/http/index.ts', 'express'],
  ['test/contract/pets.ts', 'test/support/service.ts'],
  ['test/support/features/shelves.feature.ts', 'src/index.ts'],
];

describe('the import rules', () => {
  let tree: string;
  let refusals: Map<string, string[]>;

  beforeAll(async () => {
    tree = scratchFolder('imports');
    await writeTree(tree, [...forbidden, ...allowed]);
    refusals = await cruise(tree);
  });

  afterAll(() => removeScratch(tree));

  it.each(forbidden)('%s may not import %s', (from, to, rule) => {
    expect(refusals.get(`${from} → ${to}`)).toContain(rule);
  });

  it.each(allowed)('%s may import %s', (from, to) => {
    expect(refusals.get(`${from} → ${to}`)).toBeUndefined();
  });

  it('has an example for each of its rules', async () => {
    const configuration = (await import(join(project, '.dependency-cruiser.cjs'))) as {
      default: { forbidden: { name: string }[] };
    };
    const shown = new Set(forbidden.map(([, , rule]) => rule));
    expect(configuration.default.forbidden.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([]);
  });
});

async function writeTree(root: string, cases: readonly Case[]): Promise<void> {
  const files = new Map<string, string[]>();
  for (const [from, to] of cases) {
    files.set(from, [...(files.get(from) ?? []), `import '${specifier(from, to)}';`]);
    if (isFile(to) && !files.has(to)) files.set(to, ['export {};']);
  }
  for (const [path, lines] of files) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), lines.join('\n'));
  }
  await symlink(join(project, 'node_modules'), join(root, 'node_modules'));
  await symlink(join(project, 'package.json'), join(root, 'package.json'));
}

function isFile(target: string): boolean {
  return /^(src|test)\//.test(target);
}

function specifier(from: string, to: string): string {
  if (!isFile(to)) return to;
  const path = relative(dirname(from), to).replace(/\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
}

interface Cruise {
  summary: { violations: { from: string; to: string; unresolvedTo?: string; rule: { name: string } }[] };
  modules: { source: string; dependencies: { module: string; resolved: string; rules?: { name: string }[] }[] }[];
}

/** The names of the rules that refused an import, by `FROM → TO` as in the cases above. */
async function cruise(root: string): Promise<Map<string, string[]>> {
  const program = join(project, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const args = [program, '--config', join(project, '.dependency-cruiser.cjs'), '--output-type', 'json', 'src', 'test'];
  const stdout = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, args, { cwd: root, maxBuffer: 64 * 1024 ** 2 }, (error, out) => {
      if (out === '') reject(error ?? new Error('dependency-cruiser said nothing'));
      else resolve(out);
    });
  });
  const { modules } = JSON.parse(stdout) as Cruise;
  const refused = new Map<string, string[]>();
  for (const { source, dependencies } of modules) {
    for (const { module, resolved, rules = [] } of dependencies) {
      if (rules.length === 0) continue;
      const target = isFile(resolved) ? resolved : module;
      refused.set(
        `${source} → ${target}`,
        rules.map(({ name }) => name),
      );
    }
  }
  return refused;
}
