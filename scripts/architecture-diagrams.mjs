/**
 * Prints the diagrams of docs/architecture.md from the running service: its Nest modules, and the calls between its
 * parts for two requests.
 */
import { ModulesContainer } from '@nestjs/core';
import { startNoting } from './request-calls.mjs';

/** Files that are called everywhere, and say nothing about the path of a request. */
const LEFT_OUT = /^(platform\/(?!pagination)[^/]*\.ts|platform\/(tracing|errors)\/|testing\/)/;
/** Calls of these parts into a library are not drawn. */
const USERS_LEFT_OUT = new Set([undefined, 'http', 'database']);
/** Libraries that both call this service and are called by it. */
const LIBRARIES = { '@nestjs/core': 'Nest', typeorm: 'TypeORM' };
/** The most names on one arrow. With more, the parts would be drawn far apart. */
const MOST_NAMES = 4;
/** How many times each request is sent. */
const TIMES = 3;
/** Nest adds every global module to the imports of each module. Only these two import them in their source. */
const IMPORTERS_OF_GLOBALS = { ApplicationModule: /^PlatformModule$/, PlatformModule: /^(?!InternalCore|TypeOrmCore)/ };

const { application, callsOf } = await startNoting();
const { client } = application;
const create = (key) =>
  client.post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available' }, { headers: { 'Idempotency-Key': key } });
// The first request of a kind does work that is done only once, so it is left out.
await client.get('/v1/pets');
await create('first');
const lists = await callsOfEach(() => client.get('/v1/pets'));
const keyed = await callsOfEach((time) => create(`key-${time}`));
const modules = [...application.get(ModulesContainer).values()];
await application.stop();

console.log(
  [
    'The modules of Nest, and which imports which; those of the platform are global.',
    mermaid('flowchart LR', importsOf(modules)),
    '`GET /v1/pets`: which part calls which, each call once. Calls into `http` are left out: they read the exchange.',
    mermaid('sequenceDiagram', messagesOf(lists)),
    '`POST /v1/pets` with an `Idempotency-Key`. Both requests are answered from SQLite.',
    mermaid('sequenceDiagram', messagesOf(keyed)),
  ].join('\n\n'),
);

async function callsOfEach(work) {
  const all = [];
  for (let time = 0; time < TIMES; time++) all.push(await callsOf(async () => succeed(await work(time))));
  return all;
}

function succeed({ status, text }) {
  if (status >= 300) throw new Error(text);
}

function mermaid(kind, lines) {
  return ['```mermaid', kind, ...lines.map((line) => `  ${line}`), '```'].join('\n');
}

function importsOf(all) {
  const imports = all.flatMap(({ name, imports: others }) =>
    [...others]
      .filter((other) => !other.isGlobal || IMPORTERS_OF_GLOBALS[name]?.test(other.name))
      .map((other) => `${name} --> ${other.name}`),
  );
  return [...new Set(imports)];
}

/**
 * Calls from one part to another, each at its first time. Consecutive calls between the same two parts are one arrow.
 *
 * @param calls the calls of each request. A call that is not made for every request belongs to something else, for
 * example a timer.
 */
function messagesOf(calls) {
  const [first, ...others] = calls.map((ofOne) => ofOne.flatMap(messagesOfCall));
  const isSame = (one, other) => one.from === other.from && one.to === other.to && one.name === other.name;
  const messages = first.filter((one) => others.every((time) => time.some((other) => isSame(one, other))));
  const rows = [{ from: 'client', to: 'http', names: ['receive'] }];
  for (const { from, to, name } of messages) {
    const last = rows.at(-1);
    if (rows.some((row) => row.from === from && row.to === to && row.names.includes(name))) continue;
    if (last.from === from && last.to === to) last.names.push(name);
    else rows.push({ from, to, names: [name] });
  }
  return rows.map(({ from, to, names }) => `${from}->>${to}: ${written(names)}`);
}

function written(names) {
  const shown = names.slice(0, MOST_NAMES).map((name) => `${name}()`);
  return [...shown, ...(names.length > MOST_NAMES ? ['…'] : [])].join(', ');
}

function messagesOfCall({ file, caller, name }) {
  const to = partOf(file);
  if (to === undefined || to === 'http' || name === '') return [];
  const library = LIBRARIES[caller.library];
  const from = caller.library === undefined ? partOf(caller.file) : library;
  if (from === undefined || from === to) return [];
  const user = library && partOf(caller.file);
  const message = { from, to, name };
  return USERS_LEFT_OUT.has(user) ? [message] : [{ from: user, to: library, name: caller.entered }, message];
}

/** A concern of the platform, or a file of a feature. The HTTP adapter calls what application.ts connects. */
function partOf(file) {
  if (file === undefined || LEFT_OUT.test(file)) return undefined;
  if (file === 'application.ts') return 'http';
  return file.split('/')[1].replace('.ts', '');
}
