import { describe, expect, it } from '@jest/globals';
import { featureNames } from './feature-names.js';

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

  it.each(['stock', 'status', 'glass', 'people'])('ask what one of %s is called', (plural) => {
    expect(() => featureNames(plural)).toThrow('--singular');
  });

  it.each(['returns', 'packages', 'cases', 'classes', 'ids'])('ask what one of %s is called in code', (plural) => {
    expect(() => featureNames(plural)).toThrow('--singular');
    expect(featureNames(plural, 'parcel').one.camel).toBe('parcel');
  });

  it.each(['pets', 'extends'])('cannot be those of %s', (plural) => {
    expect(() => featureNames(plural, 'one')).toThrow('another NAME');
  });

  it('are spelt for each place', () => {
    expect(featureNames('pet-toys')).toEqual({
      feature: { kebab: 'pet-toys', snake: 'pet_toys', camel: 'petToys', pascal: 'PetToys' },
      one: { kebab: 'pet-toy', snake: 'pet_toy', camel: 'petToy', pascal: 'PetToy' },
    });
  });

  it.each(['Orders', 'pet_toys', '-toys', '2toys', 'a/b', ''])('are not %j', (name) => {
    expect(() => featureNames(name, 'one')).toThrow('is not lower kebab case');
  });
});
