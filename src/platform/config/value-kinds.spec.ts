import { describe, expect, it } from '@jest/globals';
import { databaseUrl } from './database-target.js';
import {
  baseUrl,
  contact,
  host,
  isoDate,
  openTelemetryBoolean,
  origins,
  parserOf,
  proxies,
  readableFile,
  redisUrl,
} from './value-kinds.js';

const reads = (spec: Parameters<typeof parserOf>[0], text: string): unknown => {
  try {
    return spec._parse(text);
  } catch {
    return undefined;
  }
};

describe('an address to listen on', () => {
  it.each(['0.0.0.0', '127.0.0.1', '::', 'fe80::1', 'localhost', 'db-1.internal', 'my_db', 'db.example.com.'])(
    'may be %s',
    (text) => expect(reads(host(), text)).toBe(text),
  );
  it.each(['256.0.0.1', '1.2.3', 'a b', '-a', 'a..b', 'http://a', '[::1]', 'a:1', 'a/b', 'a'.repeat(64)])(
    'is not %j',
    (text) => expect(reads(host(), text)).toBeUndefined(),
  );
});

describe('a base URL', () => {
  it.each(['https://api.example.com/v1', 'http://localhost:3000/v1', 'https://example.com/pets/v1', 'http://[::1]/v1'])(
    'may be %s',
    (text) => expect(reads(baseUrl(), text)).toBe(text),
  );
  it('is written as a URL parser writes it', () => {
    expect(reads(baseUrl(), 'HTTPS://API.example.com:443/v1')).toBe('https://api.example.com/v1');
  });
  it.each([
    'https://api.example.com/v1/',
    'https://api.example.com',
    'https://api.example.com/v2',
    'https://api.example.com/xv1',
    '/v1',
    'api.example.com/v1',
    'ftp://api.example.com/v1',
    'https:api.example.com/v1',
    'https://user:pw@api.example.com/v1',
    'https://api.example.com/v1?',
    'https://api.example.com/v1#top',
    'https://api.example.com/?/v1',
    ' https://api.example.com/v1',
    'https:///v1',
  ])('is not %j', (text) => expect(reads(baseUrl(), text)).toBeUndefined());
});

describe('a contact', () => {
  it.each([
    ['pets@example.com', 'mailto:pets@example.com'],
    ['a.b+c@mail', 'mailto:a.b+c@mail'],
    ['https://example.com/help', 'https://example.com/help'],
  ])('may be %s', (text, link) => {
    expect(reads(contact(), text)).toBe(link);
    expect(parserOf(contact()).show(link)).toBe(text);
  });

  it.each([
    'pets',
    '@example.com',
    'a@b@c',
    'a b@example.com',
    'javascript:alert(1)',
    'mailto:a@example.com',
    'ftp://a.example',
    'https://user:secret@a.example/',
  ])('is not %j', (text) => expect(reads(contact(), text)).toBeUndefined());
});

describe('TRUST_PROXY', () => {
  it.each<[string, unknown]>([
    ['0', 0],
    ['32', 32],
    ['10.0.0.1', ['10.0.0.1']],
    ['10.0.0.0/8, fd00::/8', ['10.0.0.0/8', 'fd00::/8']],
    ['10.0.0.1/32,::1/128', ['10.0.0.1/32', '::1/128']],
  ])('may be %s', (text, value) => expect(reads(proxies(), text)).toEqual(value));
  it.each([
    '33',
    '-1',
    'true',
    'loopback',
    '10.0.0.0/0',
    '10.0.0.0/33',
    '::1/129',
    '10.0.0.0/8/8',
    '10.0.0.1,',
    'fe80::1%1',
  ])('is not %j', (text) => expect(reads(proxies(), text)).toBeUndefined());
});

describe('CORS_ORIGINS', () => {
  it.each([
    '*',
    'null',
    'https://a.example/',
    'https://a.example/x',
    'a.example',
    'https://a.example,',
    'https://A.example',
  ])('is not %j', (text) => expect(reads(origins(), text)).toBeUndefined());
  it('lists origins between commas', () => {
    expect(reads(origins(), 'https://a.example,  http://b.example:81')).toEqual([
      'https://a.example',
      'http://b.example:81',
    ]);
  });
});

describe('DATABASE_URL', () => {
  it.each<[string, unknown]>([
    ['mysql://u:p@h/d', { kind: 'mysql', host: 'h', port: 3306, user: 'u', password: 'p', database: 'd' }],
    ['mysql://u@h:1/d', { kind: 'mysql', host: 'h', port: 1, user: 'u', password: '', database: 'd' }],
    [
      'mysql://a%40b:p%3A%2F%3F%23%25%C3%A9@[::1]:3307/my%20db',
      { kind: 'mysql', host: '::1', port: 3307, user: 'a@b', password: 'p:/?#%é', database: 'my db' },
    ],
    ['sqlite:./data/a.sqlite', { kind: 'sqlite', path: './data/a.sqlite' }],
    ['sqlite:/var/lib/a%20b%25.sqlite', { kind: 'sqlite', path: '/var/lib/a b%.sqlite' }],
    ['sqlite:///var/lib/a.sqlite', { kind: 'sqlite', path: '/var/lib/a.sqlite' }],
    ['sqlite::memory:', { kind: 'sqlite', path: ':memory:' }],
  ])('may be %s', (text, target) => expect(reads(databaseUrl(), text)).toEqual(target));

  it.each([
    'mysql://u:p@h',
    'mysql://u:p@h/',
    'mysql://u:p@h/a/b',
    'mysql://:p@h/d',
    'mysql://h/d',
    'mysql:///d',
    'mysql://u:p@h:0/d',
    'mysql://u:p@h:65536/d',
    'mysql://u:p@h/d?ssl=true',
    'mysql://u:p#w@h/d',
    'mysql://u:p%zz@h/d',
    'mysql://u:%FF@h/d',
    'mysql://u:p%00@h/d',
    'mysql://u:p@h h/d',
    'mysql:u:p@h/d',
    'postgres://u:p@h/d',
    'sqlite:',
    'sqlite:/',
    'sqlite://host/a.sqlite',
    'sqlite:a.sqlite?mode=ro',
    'sqlite:a%00.sqlite',
    'sqlite:100%.sqlite',
    './a.sqlite',
  ])('is not %j', (text) => expect(reads(databaseUrl(), text)).toBeUndefined());

  it.each([
    ['mysql://a%40b:secret@[::1]/my%20db', 'mysql://a%40b:***@[::1]:3306/my%20db'],
    ['mysql://u@h/d', 'mysql://u@h:3306/d'],
    ['sqlite:/a%3Fb%25 c', 'sqlite:/a%3Fb%25 c'],
  ])('%s is shown as %s', (text, shown) => {
    const { show } = parserOf(databaseUrl());
    expect(show(databaseUrl()._parse(text))).toBe(shown);
  });
});

describe('REDIS_URL', () => {
  it.each(['redis://h', 'redis://h/', 'rediss://u:p@h:6380/15', 'redis://:p@[::1]:6379'])('may be %s', (text) =>
    expect(reads(redisUrl(), text)).toBe(text),
  );
  it.each(['h:6379', 'http://h', 'redis://', 'redis://h/x', 'redis://h/0/1', 'redis://h h'])('is not %j', (text) =>
    expect(reads(redisUrl(), text)).toBeUndefined(),
  );
  it('is shown without its password', () => {
    expect(parserOf(redisUrl()).show('redis://u:secret@h:1/2')).toBe('redis://u:***@h:1/2');
  });
});

describe('a date', () => {
  it.each(['2030-12-05', '2028-02-29'])('may be %s', (text) => {
    expect(reads(isoDate(), text)).toEqual(new Date(`${text}T00:00:00.000Z`));
    expect(parserOf(isoDate()).show(isoDate()._parse(text))).toBe(text);
  });
  it.each([
    '2030-02-29',
    '2030-13-01',
    '2030-12-5',
    '30-12-05',
    '2030-12-05T00:00:00Z',
    '2030/12/05',
    '20301205',
    'soon',
  ])('is not %j', (text) => expect(reads(isoDate(), text)).toBeUndefined());
});

it('OpenTelemetry takes true and false in any case', () => {
  expect(['true', 'True', 'FALSE', '1', ''].map((text) => reads(openTelemetryBoolean(), text))).toStrictEqual([
    true,
    true,
    false,
    undefined,
    undefined,
  ]);
});

it('a readable file is neither a folder nor missing', () => {
  const here = import.meta.filename;
  expect([here, import.meta.dirname, `${here}.missing`].map((path) => reads(readableFile(), path))).toStrictEqual([
    here,
    undefined,
    undefined,
  ]);
});
