import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { featureNames } from './feature-template.js';

/** Names that the templates import in files where the feature is a variable. */
const imported = ['feature/things.test.ts', 'feature/things.feature.ts', 'package/src/main.ts'].flatMap((file) => {
  const text = readFileSync(new URL(`../../templates/${file}`, import.meta.url), 'utf8');
  const lists = [...text.matchAll(/^import (?:\{(.*)\}|(\w+)) from/gm)].map(([, list, name]) => list ?? name ?? '');
  const names = lists.flatMap((list) => list.split(',')).map((name) => name.trim());
  return names.filter((name) => /^[a-z]\w+$/.test(name) && !/thing/i.test(name));
});

describe('the names of a feature', () => {
  it.each([
    ['orders', 'order'],
    ['pet-toys', 'pet-toy'],
    ['categories', 'category'],
    ['boxes', 'box'],
    ['addresses', 'address'],
    ['batches', 'batch'],
    ['houses', 'house'],
  ])('of %s are those of %s', (plural, singular) => {
    expect(featureNames(plural).one.kebab).toBe(singular);
  });

  it.each([
    ['stock', 'stock-item'],
    ['status', 'status-item'],
    ['people', 'people-item'],
    ['returns', 'return-item'],
    ['classes', 'class-item'],
    ['ids', 'id-item'],
    ['parse-ids', 'parse-id-item'],
  ])('of %s are those of %s, as no shorter word will do', (plural, singular) => {
    expect(featureNames(plural).one.kebab).toBe(singular);
    expect(featureNames(plural, 'parcel').one.camel).toBe('parcel');
  });

  it.each(['class', 'return', 'id', 'created'])('ask for another word than %s', (singular) => {
    expect(() => featureNames('parcels', singular)).toThrow('--singular');
  });

  it.each(['pets', 'extends', 'features', 'application', 'constructor', ...imported])(
    'cannot be those of %s',
    (plural) => {
      const kebab = plural.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      expect(() => featureNames(kebab, 'one')).toThrow('another NAME');
    },
  );

  it('are spelt for each place', () => {
    expect(featureNames('pet-toys')).toEqual({
      feature: { kebab: 'pet-toys', snake: 'pet_toys', camel: 'petToys', pascal: 'PetToys' },
      one: { kebab: 'pet-toy', snake: 'pet_toy', camel: 'petToy', pascal: 'PetToy' },
    });
  });

  it.each(['Orders', 'pet_toys', '-toys', '2toys', 'a/b', '../x', 'Bad_Name', ''])('are not %j', (name) => {
    expect(() => featureNames(name)).toThrow(`'${name}' is not lower kebab case`);
    expect(() => featureNames('toys', name)).toThrow(`'${name}' is not lower kebab case`);
  });
});
