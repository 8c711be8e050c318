import { describe, expect, it } from '@jest/globals';
import { withThisServerFirst } from './operation-link.js';

const production = { url: 'https://animals.example/v1', description: 'Production' };
const staging = { url: 'https://staging.animals.example/v1', description: 'Staging' };
const document = { servers: [production, staging] };

describe('withThisServerFirst', () => {
  it.each([
    ['http://box:3000/docs', 'http://box:3000/v1'],
    ['https://box/animals/docs#/pets/getPet', 'https://box/animals/v1'],
    ['http://box/a/b/docs?x=1', 'http://box/a/b/v1'],
  ])('from %s puts %s first', (page, url) => {
    expect(withThisServerFirst(document, page).servers).toEqual([
      { url, description: 'This server' },
      production,
      staging,
    ]);
  });

  it('moves a server of the document to the front where the page came from it', () => {
    expect(withThisServerFirst(document, 'https://staging.animals.example/docs').servers).toEqual([
      staging,
      production,
    ]);
    expect(withThisServerFirst(document, 'https://animals.example/docs').servers).toEqual([production, staging]);
  });

  it('needs no servers in the document', () => {
    expect(withThisServerFirst({}, 'http://box/docs').servers).toHaveLength(1);
  });
});
