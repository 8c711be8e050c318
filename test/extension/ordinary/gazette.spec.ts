import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { onEachEngine } from '../../support/engines.js';
import type { Answer } from '../../support/http.js';
import { metricValue } from '../../support/metrics.js';
import { startTwins, type Twins } from '../../support/twins.js';

const FOLDER = '../extension/ordinary/gazette';
const CHANGES = `${FOLDER}/changes.json`;
const own = (path: string): string => join(import.meta.dirname, 'gazette', path);

/** The user whose session sends a request; null for no session. */
type Sender = 'ada' | 'bob' | null;
type Step = readonly [sender: Sender, request: string, body?: unknown];

const article = (title: string, more: object = {}): object => ({
  article: {
    title,
    description: 'Of whales',
    body: 'They are large. '.repeat(20),
    tagList: ['sea', 'animals'],
    ...more,
  },
});

/** All requests of one day of the gazette. */
const STEPS: readonly Step[] = [
  [null, 'POST users', { user: { email: 'ada@example.org', username: 'ada', password: 'analytical' } }],
  [null, 'POST users', { user: { email: 'bob@example.org', username: 'bob', password: 'builder-bob' } }],
  [null, 'POST users', { user: { email: 'ada@example.org', username: 'eve', password: 'eavesdrop' } }],
  [null, 'POST users', { user: { email: 'eve@example.org', username: 'ada', password: 'eavesdrop' } }],
  [null, 'POST users', { user: { email: 'no address', username: 'X', password: 'short' } }],
  [null, 'POST users/login', { user: { email: 'ada@example.org', password: 'wrong-password' } }],
  [null, 'POST users/login', { user: { email: 'ada@example.org', password: 'analytical' } }],
  [null, 'GET user'],
  ['ada', 'GET user'],
  ['ada', 'PUT user', { user: { bio: 'Counts.', image: 'https://example.org/ada.png' } }],
  ['bob', 'PUT user', { user: { username: 'ada' } }],
  [null, 'GET profiles/ada'],
  [null, 'GET profiles/nobody'],
  ['bob', 'POST profiles/ada/follow'],
  ['bob', 'POST profiles/ada/follow'],
  ['bob', 'POST profiles/bob/follow'],
  ['bob', 'GET profiles/ada'],
  [null, 'POST articles', article('No session')],
  ['ada', 'POST articles', article('Whales, and how to feed them')],
  ['ada', 'POST articles', article('Whales, and how to feed them')],
  ['ada', 'POST articles', article('Ärger im Zoo', { tagList: ['zoo', 'animals'] })],
  ['ada', 'POST articles', article('Unfinished', { status: 'draft', tagList: undefined })],
  ['ada', 'POST articles', article('', { tagList: 'sea', status: 'lost' })],
  ['bob', 'POST articles', article('Gulls', { description: '"quoted"' })],
  [null, 'GET articles'],
  ['ada', 'GET articles'],
  [null, 'GET articles?limit=1&offset=1'],
  [null, 'GET articles?tag=zoo'],
  [null, 'GET articles?author=bob'],
  [null, 'GET articles?limit=0'],
  ['bob', 'GET articles/feed'],
  ['ada', 'GET articles/feed?limit=5'],
  [null, 'GET articles/titles'],
  [null, 'GET articles/whales-and-how-to-feed-them'],
  [null, 'GET articles/whales-and-how-to-feed-them/text'],
  [null, 'GET articles/unfinished'],
  ['ada', 'GET articles/unfinished'],
  [null, 'GET articles/No%20Slug'],
  [null, 'GET articles/nothing'],
  ['bob', 'PUT articles/gulls', { article: { title: 'Gulls of the north', tagList: ['birds'] } }],
  ['bob', 'PUT articles/whales-and-how-to-feed-them', { article: { title: 'Mine' } }],
  ['bob', 'POST articles/whales-and-how-to-feed-them/favourite'],
  ['bob', 'POST articles/whales-and-how-to-feed-them/favourite'],
  ['ada', 'POST articles/whales-and-how-to-feed-them/favourite'],
  [null, 'GET articles?favourited=bob'],
  ['bob', 'DELETE articles/whales-and-how-to-feed-them/favourite'],
  [null, 'POST articles/nothing/favourite'],
  ['bob', 'POST articles/whales-and-how-to-feed-them/comments', { comment: { body: '  So large!  ' } }],
  ['ada', 'POST articles/whales-and-how-to-feed-them/comments', { comment: { body: 'Indeed.' } }],
  ['ada', 'POST articles/whales-and-how-to-feed-them/comments', { comment: { body: '   ' } }],
  ['bob', 'GET articles/whales-and-how-to-feed-them/comments'],
  ['ada', 'DELETE articles/whales-and-how-to-feed-them/comments/1'],
  ['ada', 'DELETE articles/whales-and-how-to-feed-them/comments/0'],
  ['bob', 'DELETE articles/whales-and-how-to-feed-them/comments/1'],
  ['bob', 'DELETE articles/whales-and-how-to-feed-them/comments/1'],
  [null, 'GET articles/whales-and-how-to-feed-them/comments'],
  [null, 'GET tags'],
  ['bob', 'DELETE profiles/ada/follow'],
  ['bob', 'GET articles/feed'],
  ['bob', 'DELETE articles/arger-im-zoo'],
  ['ada', 'DELETE articles/arger-im-zoo'],
  [null, 'GET articles?tag=zoo'],
  [null, 'GET activity'],
];

/** The status of each login and registration in both applications, so that a login that fails in both is noticed. */
const LOGINS: ReadonlyMap<number, number> = new Map([
  [1, 201],
  [2, 201],
  [7, 200],
  [9, 200],
]);

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly schema: object }[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** The routes of the controllers, by method. */
const ROUTES = [
  'delete /articles/{slug}',
  'delete /articles/{slug}/comments/{id}',
  'delete /articles/{slug}/favourite',
  'delete /profiles/{username}/follow',
  'get /activity',
  'get /articles',
  'get /articles/feed',
  'get /articles/titles',
  'get /articles/{slug}',
  'get /articles/{slug}/comments',
  'get /articles/{slug}/text',
  'get /profiles/{username}',
  'get /tags',
  'get /user',
  'post /articles',
  'post /articles/{slug}/comments',
  'post /articles/{slug}/favourite',
  'post /profiles/{username}/follow',
  'post /users',
  'post /users/login',
  'put /articles/{slug}',
  'put /user',
];

/** Codes of failures that the platform's DTOs report in other words than plain Nest. */
const BY_DTO = new Set(['invalid_field', 'missing_field', 'invalid_parameter']);

onEachEngine('an application of the usual kind', (engine) => {
  const twins = startTwins({
    modules: `${FOLDER}/gazette.plain.ts`,
    features: [`${FOLDER}/gazette.features.ts`, `${FOLDER}/idempotent.features.ts`],
    env: { CHANGED_LINES: CHANGES },
    createDatabase: () => engine.createDatabase(),
  });
  const sessions: Record<'plain' | 'featured', Map<string, string>> = { plain: new Map(), featured: new Map() };

  it.each(STEPS.map((step, index) => [index + 1, ...step] as const))('%i: %s sends %s', async (index, ...step) => {
    const plain = await send(twins, 'plain', step);
    const success = LOGINS.get(index);
    if (success !== undefined) expect(plain.status).toBe(success);
    const featured = await send(twins, 'featured', step);
    if (plain.status >= 400) expectSameFailure(featured, plain);
    else expect([featured.status, normalized(featured)]).toStrictEqual([plain.status, normalized(plain)]);
    expect(featured.headers.get('x-edition')).toBe(plain.headers.get('x-edition'));
  });

  it('has every route in the document, with what its DTOs accept', async () => {
    const document = (await twins.featured.get('/openapi.json')).json() as Document;
    const listed = Object.entries(document.paths)
      .filter(([path]) => !path.startsWith('/pets'))
      .flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`));
    expect(listed.sort()).toStrictEqual(ROUTES);
    const { parameters } = document.paths['/articles']?.['get'] ?? {};
    const limit = parameters?.find(({ name }) => name === 'limit');
    expect(limit?.schema).toMatchObject({ minimum: 1, maximum: 100, default: 20 });
  });

  it('has what the platform gives: 405, the feature in the log, the route in metrics', async () => {
    const refused = await twins.featured.request('DELETE', '/v1/activity');
    expect(refused).toBeErrorShape(405, 'method_not_allowed');
    expect(refused.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    await twins.featured.get('/v1/profiles/ada');
    const route = '/v1/profiles/{username}';
    const line = await twins.service.untilLogged(
      ({ event, http }) => event === 'http.request' && (http as { route?: string }).route === route,
    );
    expect(line).toMatchObject({ feature: 'gazette' });
    const name = 'http_server_request_duration_seconds_count';
    expect(await metricValue(twins.service.managementUrl, name, `http_route="${route}"`)).toBeGreaterThan(0);
  });

  it.each<readonly [path: string, body: (name: string) => object | undefined]>([
    ['users', (name) => ({ user: { email: `${name}@example.org`, username: name, password: 'analytical' } })],
    ['articles', (name) => article(name)],
    ['articles/whales-and-how-to-feed-them/comments', (name) => ({ comment: { body: name } })],
    ['articles/whales-and-how-to-feed-them/favourite', () => undefined],
    ['profiles/bob/follow', () => undefined],
  ])('POST %s is carried out once for an Idempotency-Key', async (path, bodyOf) => {
    const name = `n${randomBytes(4).toString('hex')}`;
    const session = `Bearer ${sessions.featured.get('ada') ?? ''}`;
    const post = (body = bodyOf(name)): Promise<Answer> => {
      const headers = { 'idempotency-key': name, 'x-session': session };
      return twins.featured.request('POST', `/v1/${path}`, { headers, ...(body && { body }) });
    };
    const [first, again] = [await post(), await post()];
    expect(first.status).toBeLessThan(300);
    expect([again.status, again.text]).toStrictEqual([first.status, first.text]);
    expect([first, again].map(({ headers }) => headers.get('idempotent-replayed'))).toStrictEqual([null, 'true']);
    const other = bodyOf(`other${name}`);
    if (other !== undefined) expect(await post(other)).toBeErrorShape(422, 'idempotency_key_reused');
    const { text } = await twins.featured.get('/v1/articles/whales-and-how-to-feed-them/comments');
    expect(text.split(name)).toHaveLength(path.endsWith('comments') ? 2 : 1);
  });

  async function send(both: Twins, which: 'plain' | 'featured', [sender, request, body]: Step): Promise<Answer> {
    const [method = '', path = ''] = request.split(' ');
    const session = sender === null ? undefined : `Bearer ${sessions[which].get(sender) ?? ''}`;
    const name = which === 'plain' ? 'authorization' : 'x-session';
    const headers = session === undefined ? {} : { [name]: session };
    const answer = await both[which].request(method, `/v1/${path}`, { headers, ...(body !== undefined && { body }) });
    const { user, token } = (answer.text.startsWith('{"user":') ? answer.json() : {}) as {
      user?: { username: string };
      token?: string;
    };
    if (user !== undefined && token !== undefined) sessions[which].set(user.username, token);
    return answer;
  }
});

/** The body without the parts that differ each time: tokens and times. */
function normalized({ text }: Answer): string {
  return text.replace(/"token":"[^"]+"/g, '"token":"…"').replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"…"');
}

function expectSameFailure(featured: Answer, plain: Answer): void {
  const { code, message } = featured.json() as { code: string; message: string };
  expect(featured).toBeErrorShape(plain.status, code);
  const words = [(plain.json() as { message: string | string[] }).message].flat();
  if (BY_DTO.has(code) && message !== words.join('; '))
    expect(message).toContain(words[0]?.split(' ')[0]?.split('.').at(-1));
  else expect(message).toBe(words.join('; '));
}

function countLines(text: string): number {
  return text.split('\n').filter((line) => line.trim() !== '').length;
}

describe('what had to change of it', () => {
  it('is at most one line in a hundred, beside the declaration', () => {
    const files = readdirSync(own('.'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const linesOf = (file: string): number => countLines(readFileSync(own(file), 'utf8'));
    const parts = files.filter((file) => !/\.(plain|features)\.ts$/.test(file));
    const lines = parts.map(linesOf).reduce((sum, count) => sum + count, 0);
    const changes = JSON.parse(readFileSync(own('changes.json'), 'utf8')) as { line: string; becomes: string }[];
    // A line that is replaced by ten counts as ten changes, and a deleted line as one.
    const changed = changes.reduce(
      (sum, { line, becomes }) => sum + Math.max(countLines(line), countLines(becomes)),
      0,
    );
    const declaration = linesOf('gazette.features.ts');
    const result = `${changed} of ${lines} lines had to change, beside a declaration of ${declaration}`;
    process.stdout.write(`${result}\n`);
    expect(changed / lines).toBeLessThanOrEqual(0.01);
    expect(declaration).toBeLessThanOrEqual(10);
    const guide = readFileSync(join(import.meta.dirname, '../../../docs/extending/guide.md'), 'utf8');
    expect(guide.includes(result)).toBe(true);
  });
});
