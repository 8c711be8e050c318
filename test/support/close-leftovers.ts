import { afterAll } from '@jest/globals';
import { leftovers } from './leftovers.ts';

afterAll(async () => {
  await Promise.allSettled([...leftovers].map(async (close) => close()));
});
