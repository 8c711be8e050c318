import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import openapiTypes, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { projectFolder } from '../support/command.js';
import { onEachEngine } from '../support/engines.js';
import { ClientProject } from '../support/generated-clients.js';
import { readDocument } from '../support/markdown.js';
import { runIn } from '../support/packages.js';
import { removeScratch } from '../support/scratch.js';
import { serveOn } from '../support/served.js';

const document = readFileSync(join(projectFolder, 'openapi.json'), 'utf8');

/** JSON with exact integers, as docs/api.md advises, and the cursor of the next page. */
const EXACT = `
import { parse, stringify } from 'lossless-json';
const exact = (digits: string): number | bigint => (/^-?\\d+$/.test(digits) ? BigInt(digits) : Number(digits));
export const read = (text: unknown): unknown => parse(String(text), undefined, exact);
export const write = (value: unknown): string => stringify(value) ?? '';
export const nextCursor = (link: string | null): string | undefined =>
  /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(link ?? '')?.[1];
export const { BASE: base = '', KEY: key = '' } = process.env;
export const CATEGORIES = [7n, 9007199254740993n, -9223372036854775808n];
`;

/** Both generated clients do the same: create, list page by page, and make one mistake. */
const WITH_OPENAPI_FETCH = `
import createClient from 'openapi-fetch';
import type { components, paths } from './api.js';
import { base, CATEGORIES, key, nextCursor, read, write } from './exact.js';

type Pet = components['schemas']['Pet'];
const headers = { Authorization: \`Bearer \${key}\` };
const client = createClient<paths>({ baseUrl: base, headers, bodySerializer: write });
let last = 0n;
for (const categoryId of CATEGORIES) {
  const body = { name: 'Lumi', categoryId, status: 'sold' } as const;
  const { data, response } = await client.POST('/pets', { body, parseAs: 'text' });
  const { id, status, categoryId: kept } = read(data) as Pet;
  last = id;
  console.log(response.status, status, String(kept));
}
let cursor: string | undefined;
do {
  const query = { limit: 2, status: 'sold', ...(cursor && { cursor }) } as const;
  const { data, response } = await client.GET('/pets', { params: { query }, parseAs: 'text' });
  console.log((read(data) as Pet[]).map((pet) => pet.categoryId).join(' '));
  cursor = nextCursor(response.headers.get('link'));
} while (cursor !== undefined);
// @ts-expect-error a pet has a name, and the types know
const { error } = await client.POST('/pets', { body: { categoryId: 7n } });
console.log(error?.code);
const got = async (petId: bigint) => client.GET('/pets/{petId}', { params: { path: { petId } }, parseAs: 'text' });
console.log((read((await got(last)).data) as Pet).categoryId);
const missing = await got(9007199254740993n);
console.log(missing.response.status, missing.error?.code);
`;

const WITH_HEY_API = `
import { createPet, getPet, listPets, type Pet } from './pets/index.js';
import { client } from './pets/client.gen.js';
import { base, CATEGORIES, key, nextCursor, read, write } from './exact.js';

client.setConfig({ baseUrl: base, auth: key, bodySerializer: write, parseAs: 'text' });
let last = 0n;
for (const categoryId of CATEGORIES) {
  const { data, response } = await createPet({ body: { name: 'Otso', categoryId, status: 'pending' } });
  const { id, status, categoryId: kept } = read(data) as Pet;
  last = id;
  console.log(response?.status, status, String(kept));
}
let cursor: string | undefined;
do {
  const { data, response } = await listPets({ query: { limit: 2, status: 'pending', ...(cursor && { cursor }) } });
  console.log((read(data) as Pet[]).map((pet) => pet.categoryId).join(' '));
  cursor = nextCursor(response?.headers.get('link') ?? null);
} while (cursor !== undefined);
// @ts-expect-error a pet has a name, and the types know
const { error } = await createPet({ body: { categoryId: 7n } });
console.log(error?.code);
console.log((read((await getPet({ path: { petId: last } })).data) as Pet).categoryId);
const missing = await getPet({ path: { petId: 9007199254740993n } });
console.log(missing.response?.status, missing.error?.code);
`;

/** The client of this package. Its first request is carried out, but the answer is lost. */
const WITH_OUR_CLIENT = `
import { AnimalStoreClient, AnimalStoreError, type Pet } from 'animal-store/client';
import { base, CATEGORIES, key } from './exact.js';

let lost = 0;
const lossy: typeof fetch = async (address, init) => {
  const response = await fetch(address, init);
  if (response.status !== 201 || lost++ > 0) return response;
  await response.text();
  throw new TypeError('The connection was lost');
};
const client = new AnimalStoreClient({ baseUrl: base, apiKey: key, fetch: lossy });
const made: Pet[] = [];
for (const categoryId of CATEGORIES) {
  const pet = await client.createPet({ name: 'Halti', categoryId, status: 'available' });
  made.push(pet);
  console.log(201, pet.status, String(pet.categoryId));
}
for await (const { pets } of client.pages({ limit: 2, status: 'available' })) {
  console.log(pets.map((pet) => pet.categoryId).join(' '));
}
// @ts-expect-error a pet has a name, and the types know
const refusal: unknown = await client.createPet({ categoryId: 7n }).catch((error: unknown) => error);
console.log(refusal instanceof AnimalStoreError && refusal.status === 400 && refusal.requestId !== undefined && refusal.code);
const names = new Set<string>();
for await (const { name } of client.pets()) names.add(name);
const third = await client.getPet(made[2]?.id ?? 0n);
console.log(typeof third.id, third.categoryId === CATEGORIES[2], names.has('Halti'));
console.log(await client.getPet(10n ** 18n).catch((error: AnimalStoreError) => error.code));
const gone = AbortSignal.abort(new Error('not now'));
console.log(await client.listPets({}, { signal: gone }).catch((error: Error) => error.message));
`;

const README = readDocument('README.md').fences.find(({ words }) => words.includes('client'))?.text ?? '';

const printed = (status: string): string[] => [
  `201 ${status} 7`,
  `201 ${status} 9007199254740993`,
  `201 ${status} -9223372036854775808`,
  '7 9007199254740993',
  '-9223372036854775808',
  'missing_field',
];

/** The results of the generated clients for two ids: the last pet that they created, and an unknown one. */
const GOT = ['-9223372036854775808n', '404 pet_not_found'];

let built: Promise<ClientProject> | undefined;
/** The output of @hey-api/openapi-ts. */
let generatorOutput = '';

/** One project with both clients, generated and compiled once. */
function buildClients(): Promise<ClientProject> {
  return (built ??= (async () => {
    const project = new ClientProject();
    project.write('openapi.json', document);
    project.write('exact.ts', EXACT);
    project.write('with-openapi-fetch.ts', WITH_OPENAPI_FETCH);
    project.write('with-hey-api.ts', WITH_HEY_API);
    project.write('with-our-client.ts', WITH_OUR_CLIENT);
    project.write('readme.ts', README.replace("'http://localhost:3000/v1'", "process.env.BASE ?? ''"));
    project.write('api.ts', await typesOf(document));
    generatorOutput = await project.generateWithHeyApi();
    await project.compile();
    return project;
  })());
}

async function typesOf(text: string): Promise<string> {
  const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
  const nodes = await openapiTypes(text, { transform: ({ format }) => (format === 'int64' ? bigint : undefined) });
  return astToString(nodes);
}

afterAll(async () => removeScratch((await buildClients()).folder));

onEachEngine('a generated client', (engine) => {
  const store = serveOn(engine);
  let project: ClientProject;
  let env: Record<string, string>;

  beforeAll(async () => {
    project = await buildClients();
    env = { BASE: `${store.service.url}/v1`, KEY: store.key };
  });

  it('of openapi-typescript and openapi-fetch compiles, creates, lists, walks and gets, exactly', async () => {
    expect(await project.run('with-openapi-fetch.js', env)).toEqual([...printed('sold'), ...GOT]);
  });

  it('of @hey-api/openapi-ts generates without a warning, compiles, creates, lists, walks and gets, exactly', async () => {
    expect(generatorOutput).toMatch(/\bpets\b/);
    expect(generatorOutput).not.toMatch(/warn|error|deprecat/i);
    expect(await project.run('with-hey-api.js', env)).toEqual([...printed('pending'), ...GOT]);
  });

  it('of this package compiles, creates each pet once though answers are lost, and walks, exactly', async () => {
    const more = ['bigint true true', 'pet_not_found', 'not now'];
    expect(await project.run('with-our-client.js', env)).toEqual([...printed('available'), ...more]);
  });

  it('of this package does what README shows', async () => {
    const [categoryId, ...names] = await project.run('readme.js', env);
    expect(categoryId).toBe('9007199254740993n');
    expect(names).toContain('Rex');
  });
});

it('the types of the client are those of the document (npm run openapi)', async () => {
  await expect(runIn(projectFolder, process.execPath, 'scripts/write-client-types.mjs', '--check')).resolves.toBe('');
});
