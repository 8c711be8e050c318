import { describe, expect, it } from '@jest/globals';
import { deepLinkOfOperation } from './operation-link.js';

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
