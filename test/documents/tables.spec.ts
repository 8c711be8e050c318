import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projectFolder, runCommand } from '../support/command.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { HttpClient } from '../support/http.js';
import { readDocument, type MarkdownDocument, type Table } from '../support/markdown.js';
import { Service } from '../support/service.js';

const api = readDocument('docs/api.md');
const operating = readDocument('docs/operating.md');

/** The one table of a document with these headings. */
function tableOf({ path, tables }: MarkdownDocument, ...header: string[]): Table {
  const found = tables.filter((table) => header.every((cell, at) => table.header[at] === cell));
  if (found.length !== 1) throw new Error(`${path} has ${found.length} tables headed ${header.join(', ')}`);
  return found[0]!;
}

const bare = (cell: string): string => cell.replaceAll('`', '');

describe('docs/api.md', () => {
  it('has a cause and a cure for each error code that there is', () => {
    // As another package gets them: by the face. Their own code knows what status they leave with.
    const script = `
      import { ApiError, coreErrors, pets } from 'animal-store';
      const kinds = [...Object.values(coreErrors), ...pets.errors];
      process.stdout.write(JSON.stringify(kinds.map((kind) => \`\${new ApiError(kind).status} \${kind.code}\`)));`;
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: projectFolder });
    const { rows } = tableOf(api, 'Status', '`code`', 'Cause', 'Cure');
    expect(rows.map(([status, code]) => `${status!} ${bare(code!)}`).sort()).toEqual(
      (JSON.parse(printed.toString()) as string[]).sort(),
    );
    expect(rows.filter((row) => row.some((cell) => cell.trim() === ''))).toEqual([]);
  });
});

describe('docs/operating.md', () => {
  it('lists the configuration as the program prints it (npm run docs)', async () => {
    const { stdout } = await runCommand({ url: 'sqlite::memory:' }, ['config', '--markdown']);
    expect(operating.text).toContain(`npm run docs\` -->\n\n${stdout}\n<!-- end`);
  });
});

describe('against a running service', () => {
  let database: TestDatabase;
  let service: Service;

  beforeAll(async () => {
    database = await createSqliteDatabase();
    service = await Service.start({ database });
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  it('docs/api.md lists the operations with their scopes', async () => {
    const client = new HttpClient(service.url);
    const { paths } = (await client.get('/openapi.json')).json() as { paths: Paths };
    const served = Object.values(paths).flatMap((operations) =>
      Object.values(operations).map(({ operationId, description }) => {
        const scope = /Needs the scope (`[a-z:]+`)/.exec(description)?.[1] ?? '';
        return `${operationId} ${scope}`;
      }),
    );
    const { rows } = tableOf(api, 'Operation', 'Request', 'Success', 'Scope');
    const listed = rows.map((row) => `${/`(\w+)`/.exec(row[0]!)![1]!} ${row[3]!}`);
    expect(listed.sort()).toEqual(served.sort());
  });

  it('docs/api.md lists the headers of the OpenAPI document', async () => {
    const client = new HttpClient(service.url);
    const { components } = (await client.get('/openapi.json')).json() as { components: { headers: object } };
    const { rows } = tableOf(api, 'In answers', 'Is');
    const listed = rows.flatMap(([names]) => bare(names!).split(', '));
    expect(listed).toEqual(expect.arrayContaining(Object.keys(components.headers)));
  });

  it('docs/operating.md lists the metrics of its own', async () => {
    const exposed = (await new HttpClient(service.managementUrl).get('/metrics')).text;
    const names = [...exposed.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);
    const { rows } = tableOf(operating, 'Metric', 'Labels', 'Is');
    expect(rows.map(([name]) => bare(name!)).sort()).toEqual(
      names.filter((name) => !/^(process|nodejs)_/.test(name)).sort(),
    );
  });
});

type Paths = Readonly<
  Record<string, Readonly<Record<string, { readonly operationId: string; readonly description: string }>>>
>;
