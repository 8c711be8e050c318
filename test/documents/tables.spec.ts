import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projectFolder, runCommand } from '../support/command.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { HttpClient } from '../support/http.js';
import { readDocument, type MarkdownDocument, type Table } from '../support/markdown.js';
import { Service } from '../support/service.js';

const api = readDocument('docs/api.md');
const configure = readDocument('docs/operating/configure.md');
const observe = readDocument('docs/operating/observe.md');

/** The only table of a document with these headings. */
function tableOf({ path, tables }: MarkdownDocument, ...header: string[]): Table {
  const found = tables.filter((table) => header.every((cell, at) => table.header[at] === cell));
  if (found.length !== 1) throw new Error(`${path} has ${found.length} tables headed ${header.join(', ')}`);
  return found[0]!;
}

const bare = (cell: string): string => cell.replaceAll('`', '');

describe('docs/api.md', () => {
  it('has a cause and a cure for each error code that there is', () => {
    // Through the public API, as another package imports them. ApiError knows the status of a kind.
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

it.each(['docs/api.md', 'CHANGELOG.md'])('%s names each field and each parameter of the document', (path) => {
  const { paths, components } = JSON.parse(readFileSync(join(projectFolder, 'openapi.json'), 'utf8')) as {
    paths: Readonly<Record<string, Readonly<Record<string, { parameters: readonly { name?: string }[] }>>>>;
    components: { schemas: Readonly<Record<string, { properties?: object }>> };
  };
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const parameters = operations.flatMap((operation) => operation.parameters.flatMap(({ name = [] }) => name));
  const fields = Object.values(components.schemas).flatMap(({ properties = {} }) => Object.keys(properties));
  const named = new Set(readDocument(path).codes.map((code) => /\w+/.exec(code)?.[0]));
  expect([...fields, ...parameters].filter((name) => !named.has(name) && name !== 'petId')).toEqual([]);
});

describe('docs/api.md, of what holds unless it is configured otherwise,', () => {
  const defaults = readFileSync(join(projectFolder, '.env.example'), 'utf8');
  const valueOf = (name: string): number => Number(new RegExp(`^#${name}=(\\d+)$`, 'm').exec(defaults)?.[1]);
  const seconds = (...names: string[]): number => names.reduce((sum, name) => sum + valueOf(name), 0) / 1000;

  it('has the limits', () => {
    const limits = new Map(api.tables.flatMap(({ rows }) => rows.map(([what, limit]) => [what!, limit!] as const)));
    expect(limits.get('body')).toBe(`${valueOf('HTTP_BODY_LIMIT_BYTES') / 1024} KiB: 413`);
    expect(limits.get('time for the headers to arrive')).toBe(`${seconds('HTTP_HEADERS_TIMEOUT_MS')} s: 408`);
    expect(limits.get('time for the whole request to arrive')).toBe(`${seconds('HTTP_REQUEST_TIMEOUT_MS')} s: 408`);
    expect(limits.get('time in which none of an answer is taken')).toBe(
      `${seconds('HTTP_REQUEST_TIMEOUT_MS', 'REQUEST_DEADLINE_MS')} s: the connection is closed`,
    );
    expect(api.text).toContain(`Connections are kept for ${seconds('HTTP_KEEP_ALIVE_TIMEOUT_MS')} seconds`);
  });

  it('has the rates', () => {
    expect(api.text).toContain(`a quota, ${valueOf('RATE_LIMIT_PER_MINUTE')} requests a minute`);
    expect(api.text).toContain(`beyond ${valueOf('AUTH_FAILURES_PER_MINUTE')} a minute they are answered with 429`);
  });
});

describe('docs/operating/configure.md', () => {
  it('lists the configuration as the program prints it (npm run docs)', async () => {
    const { stdout } = await runCommand({ url: 'sqlite::memory:' }, ['config', '--markdown']);
    expect(configure.text).toContain(`npm run docs\` -->\n\n${stdout}\n<!-- end`);
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
    const { paths } = (await client.get('/openapi.json')).json() as { paths: Paths };
    const responses = Object.values(paths).flatMap((operations) =>
      Object.values(operations).flatMap((operation) => Object.values(operation.responses)),
    );
    const answered = new Set(responses.flatMap(({ headers }) => Object.keys(headers)));
    const { rows } = tableOf(api, 'In answers', 'Is');
    const listed = rows.flatMap(([names]) => bare(names!).split(', '));
    expect(listed).toEqual(expect.arrayContaining([...answered]));
  });

  it('docs/operating/observe.md lists the metrics of its own', async () => {
    const exposed = (await new HttpClient(service.managementUrl).get('/metrics')).text;
    const names = [...exposed.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);
    const { rows } = tableOf(observe, 'Metric', 'Labels', 'Is');
    expect(rows.map(([name]) => bare(name!)).sort()).toEqual(
      names.filter((name) => !/^(process|nodejs)_/.test(name)).sort(),
    );
  });
});

interface Operation {
  readonly operationId: string;
  readonly description: string;
  readonly responses: Readonly<Record<string, { readonly headers: object }>>;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
