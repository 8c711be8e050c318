import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { traitsOf } from '../routing/index.js';
import { covers, Public, RequireScope } from './access.decorators.js';

class Controller {
  @Public()
  open(): void {}

  @RequireScope('pets:read')
  one(): void {}

  @RequireScope('pets:read', 'pets:write')
  two(): void {}

  @RequireScope('pets:write')
  @RequireScope('pets:read')
  twice(): void {}
}

describe('access decorators', () => {
  it.each<[keyof Controller, object]>([
    ['open', { open: true, scopes: [] }],
    ['one', { open: false, scopes: ['pets:read'] }],
    ['two', { open: false, scopes: ['pets:read', 'pets:write'] }],
    ['twice', { open: false, scopes: ['pets:read', 'pets:write'] }],
  ])('declare the access of %s', (name, declared) => {
    expect(traitsOf(Controller.prototype[name])).toEqual(declared);
  });

  it('do not open what needs a scope', () => {
    const decorate = (): void => {
      const handler = { value: (): void => {} };
      RequireScope('pets:read')({}, 'both', handler);
      Public()({}, 'both', handler);
    };
    expect(decorate).toThrow(new TypeError('both is @Public and yet needs a scope'));
  });

  it('refuse what is no scope', () => {
    expect(() => RequireScope('pets')).toThrow(TypeError);
    expect(() => RequireScope('*')).toThrow(TypeError);
  });
});

describe('covers', () => {
  it.each([
    [['pets:read'], ['pets:read'], true],
    [['pets:read'], [], true],
    [['*'], ['pets:read', 'pets:write'], true],
    [['pets:read'], ['pets:write'], false],
    [['pets:read'], ['pets:read', 'pets:write'], false],
    [['pets:reader'], ['pets:read'], false],
    [[], ['pets:read'], false],
  ])('%j of %j is %s', (granted, needed, covered) => {
    expect(covers(granted, needed)).toBe(covered);
  });
});
