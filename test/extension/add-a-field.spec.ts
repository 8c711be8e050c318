import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { PATIENT, runCommand } from '../support/command.js';
import { onEachEngine } from '../support/engines.js';
import { HttpClient } from '../support/http.js';
import { projectFiles, readDocument } from '../support/markdown.js';
import { runIn } from '../support/packages.js';
import { copyProject } from '../support/project-copy.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { Service } from '../support/service.js';

jest.setTimeout(300_000);

const MIGRATION = 'src/pets/migrations/add-color.1767225600000.ts';
/** The code blocks of the steps. Only the first two are about the color. */
const [column = '', methods = ''] = [
  ...readDocument('CONTRIBUTING.md').text.matchAll(/^ {3}```ts\n(.*?)\n {3}```$/gms),
].map(([, block = '']) => block.replace(/^ {3}/gm, ''));

/** The steps of "Add a field" in CONTRIBUTING.md: texts of a file, and what replaces them. */
const EDITS: Readonly<Record<string, readonly (readonly [before: string, after: string])[]>> = {
  'src/pets/pet.entity.ts': [
    ["@Index('pet_status_id', ['status', 'id'])", "$&\n@Index('pet_color_id', ['color', 'id'])"],
    ['  status: PetStatus;\n}', `  status: PetStatus;\n\n${column}\n}`],
  ],
  'src/pets/pets.feature.ts': [
    ['import { petNotFound }', `import { AddColor1767225600000 } from './migrations/add-color.1767225600000.js';\n$&`],
    ['[CreatePets1764201600000]', '[CreatePets1764201600000, AddColor1767225600000]'],
  ],
  'src/pets/pets.repository.ts': [
    ['SELECT id, name, category_id, status FROM', 'SELECT id, name, category_id, status, color FROM'],
    ['  readonly status: PetStatus;\n}', '  readonly status: PetStatus;\n  readonly color: string | null;\n}'],
    [
      '  readonly status?: PetStatus | undefined;\n}',
      '  readonly status?: PetStatus | undefined;\n  readonly color?: string | undefined;\n}',
    ],
    ["index: 'pet_status_id' },\n", "$&  color: { column: 'color', index: 'pet_color_id' },\n"],
    ['category_id: categoryId, status }: Row', 'category_id: categoryId, status, color }: Row'],
    ['categoryId: BigInt(categoryId), status };', 'categoryId: BigInt(categoryId), status, color };'],
  ],
  'src/pets/pets.dto.ts': [
    [
      'import { EnumParameter, EnumProperty, TextProperty }',
      'import { EnumParameter, EnumProperty, TextParameter, TextProperty }',
    ],
    [
      'const status = {',
      "const color = { maxLength: 20, required: false, description: 'Its color.', example: 'red' } as const;\n$&",
    ],
    [
      "example: 'available' })\n  status?: PetStatus;\n}",
      "example: 'available' })\n  status?: PetStatus;\n\n  @TextProperty(color)\n  color?: string;\n}",
    ],
    ['  status: PetStatus;\n}', '  status: PetStatus;\n\n  @TextProperty(color)\n  color?: string;\n}'],
    ["this status.' })\n  status?: PetStatus;\n", '$&\n  @TextParameter(color)\n  color?: string;\n'],
    ['{ id, name, categoryId, status }: Pet', '{ id, name, categoryId, status, color }: Pet'],
    [
      'return { id, name, categoryId, status };',
      'return { id, name, categoryId, status, ...(color == null ? {} : { color }) };',
    ],
  ],
  'src/pets/pets.samples.ts': [
    ["'category_id', 'status']", "'category_id', 'status', 'color']"],
    [
      'statusAt(((mixed >>> 16) * 100) >>> 16)]',
      "statusAt(((mixed >>> 16) * 100) >>> 16), mixed % 2 === 0 ? 'red' : null]",
    ],
  ],
};

const copy = scratchFolder('add-a-field');
const program = join(copy, 'dist/main.js');

function edit(path: string, edits: readonly (readonly [string, string])[]): void {
  let text = readFileSync(join(copy, path), 'utf8');
  for (const [before, after] of edits) {
    expect([path, before, text.split(before).length]).toEqual([path, before, 2]);
    text = text.replace(before, after);
  }
  writeFileSync(join(copy, path), text);
}

beforeAll(async () => {
  copyProject(
    copy,
    projectFiles().filter((each) => !/^(docs|test|bench|deploy|examples)\//.test(each)),
  );
  for (const [path, edits] of Object.entries(EDITS)) edit(path, edits);
  const head = "import type { MigrationInterface, QueryRunner } from 'typeorm';\n\n";
  const text = `${head}export class AddColor1767225600000 implements MigrationInterface {\n${methods}\n}\n`;
  writeFileSync(join(copy, MIGRATION), text);
  await runIn(copy, process.execPath, 'node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json');
});

afterAll(() => removeScratch(copy));

it('takes as many files by hand as CONTRIBUTING.md says, the API page and the changelog among them', () => {
  const named = [...Object.keys(EDITS), MIGRATION, 'docs/api.md', 'CHANGELOG.md'];
  expect(named).toHaveLength(8);
  expect(readDocument('CONTRIBUTING.md').text).toContain('with a filter, takes eight files by hand.');
});

it('writes the document and the types of the client by one command', async () => {
  const { code, stdout } = await runCommand({ url: 'sqlite::memory:' }, ['openapi'], {}, program);
  expect(code).toBe(0);
  writeFileSync(join(copy, 'openapi.json'), stdout);
  await runIn(copy, process.execPath, 'scripts/write-client-types.mjs');
  const types = readFileSync(join(copy, 'src/client/api.ts'), 'utf8');
  expect(types.match(/^ +color\?: string;$/gm)).toHaveLength(3);
});

onEachEngine('a pet with a color', (engine) => {
  describe('on a database of the release before', () => {
    it('is migrated, added, filtered by, seeded, and taken back', async () => {
      const database = await engine.createDatabase();
      expect((await runCommand(database, ['migrate'])).code).toBe(0);
      await database.query("INSERT INTO pet (name, category_id, status) VALUES ('Old', 1, 'available')");
      const migrated = await runCommand(database, ['migrate'], {}, program);
      expect(migrated).toMatchObject({ code: 0, stdout: expect.stringContaining('applied AddColor1767225600000\n') });
      const service = await Service.start({ database, program, env: PATIENT });
      const client = new HttpClient(service.url, await storeKey(database));
      const added = await client.post('/v1/pets', { name: 'Red', categoryId: 2, color: 'red' });
      expect([added.status, added.json()]).toStrictEqual([201, expect.objectContaining({ name: 'Red', color: 'red' })]);
      await client.post('/v1/pets', { name: 'Blue', categoryId: 2, color: 'blue' });
      const listed = async (query: string): Promise<unknown> => (await client.get(`/v1/pets${query}`)).json();
      expect(await listed('?color=red')).toStrictEqual([added.json()]);
      expect(await listed('?color=red&status=available')).toStrictEqual([added.json()]);
      expect(await listed('?color=green')).toEqual([]);
      expect(await listed('')).toMatchObject([{ name: 'Old' }, { color: 'red' }, { color: 'blue' }]);
      expect((await client.get('/v1/pets/1')).json()).not.toHaveProperty('color');
      await service.stop();
      expect((await runCommand(database, ['seed', '--count', '20', '--add'], {}, program)).code).toBe(0);
      const kinds = 'SELECT COUNT(DISTINCT color) AS kinds FROM pet';
      expect(Number((await database.query(kinds))[0]?.['kinds'])).toBeGreaterThanOrEqual(2);
      const off = { FEATURES_OFF: 'pets' };
      expect(await runCommand(database, ['migrate', '--undo', 'pets', '--yes'], off, program)).toMatchObject({
        code: 0,
        stdout: 'undone AddColor1767225600000\nundone CreatePets1764201600000\n',
      });
      await database.drop();
    });
  });
});
