import { describe, expect, it } from '@jest/globals';
import { deepLinkOfOperation, reason, withThisServerFirst, withWholeHeaders } from './operation-view.js';

const document = {
  paths: {
    '/pets': { get: { operationId: 'listPets', tags: ['pets'] } },
    '/pets/{petId}': { get: { operationId: 'getPet', tags: ['pets'] } },
    '/other': { get: { operationId: 'other' } },
  },
};

describe('deepLinkOfOperation', () => {
  it.each([
    ['#getPet', '#/pets/getPet'],
    ['#other', '#/default/other'],
    ['#/pets/getPet', undefined],
    ['#nothing', undefined],
    ['#', undefined],
    ['', undefined],
  ])('reads %j as %j', (hash, link) => {
    expect(deepLinkOfOperation(document, hash)).toBe(link);
  });
});

const production = { url: 'https://animals.example/v1', description: 'Production' };
const staging = { url: 'https://staging.animals.example/v1', description: 'Staging' };
const withServers = { servers: [production, staging] };

describe('withThisServerFirst', () => {
  it.each([
    ['http://box:3000/docs', 'http://box:3000/v1'],
    ['https://box/animals/docs#/pets/getPet', 'https://box/animals/v1'],
    ['http://box/a/b/docs?x=1', 'http://box/a/b/v1'],
  ])('from %s puts %s first', (page, url) => {
    expect(withThisServerFirst(withServers, page).servers).toEqual([
      { url, description: 'This server' },
      production,
      staging,
    ]);
  });

  it('moves a server of the document to the front where the page came from it', () => {
    expect(withThisServerFirst(withServers, 'https://staging.animals.example/docs').servers).toEqual([
      staging,
      production,
    ]);
    expect(withThisServerFirst(withServers, 'https://animals.example/docs').servers).toEqual([production, staging]);
  });

  it('needs no servers in the document', () => {
    expect(withThisServerFirst({}, 'http://box/docs').servers).toHaveLength(1);
  });
});

describe('withWholeHeaders', () => {
  it('puts together what Swagger UI took apart', () => {
    const headers = { sunset: ['Thu', '05 Dec 2030 00:00:00 GMT'], vary: 'Authorization' };
    expect(withWholeHeaders({ headers }).headers).toEqual({
      sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
      vary: 'Authorization',
    });
  });
});

describe('the reason why nothing answered', () => {
  it.each(['http://box:3000/zoo/v1', '/zoo/v1'])('is the service, at %s of this server', (server) => {
    expect(reason(server, 'http://box:3000/zoo/docs')).toBe(
      'No answer from http://box:3000/zoo/v1: is the service running?',
    );
  });

  it('is the page, at any other', () => {
    expect(reason('https://animals.example/v1', 'http://box:3000/docs')).toMatch(/no other server than its own/);
  });
});
