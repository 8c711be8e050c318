import { describe, expect, it } from '@jest/globals';
import express, { Router, type Express, type Request, type Response } from 'express';
import { DirectRoutes } from './direct-routes.js';
import type { PlainHandler } from './plain-handler.js';

const seen: object[] = [];
const handler = (): void => undefined;

const plain = ['/v1/pets', '/v1/pets/{petId}', '/a/{b}', '/a/b', '/a', '/b'].map((path) => ({
  route: { method: 'GET', path },
  handle: (_request: Request, _response: Response, parameters: object) => {
    seen.push({ ...parameters });
    return Promise.resolve();
  },
})) as unknown as PlainHandler[];

/** The parameters that the handler received; undefined if the request is left to Express. */
function direct(routes: DirectRoutes, method: string, url: string): object | undefined {
  seen.length = 0;
  const taken = routes.dispatch({ method, url } as Request, {} as Response);
  expect(seen).toHaveLength(taken ? 1 : 0);
  return seen[0];
}

function directRoutes(made: Express): DirectRoutes {
  const routes = new DirectRoutes(made, made.router.stack.length);
  routes.addPlain(plain);
  return routes;
}

function application(build: (application: Express) => void): DirectRoutes {
  const made = express();
  made.use((_request, _response, next) => next());
  const routes = directRoutes(made);
  build(made);
  return routes;
}

describe('DirectRoutes', () => {
  it('takes constant paths and whole parameters to their handlers, by method', () => {
    const routes = application((it) => it.get('/v1/pets', handler).get('/v1/pets/:petId', handler));
    expect(direct(routes, 'GET', '/v1/pets')).toEqual({});
    expect(direct(routes, 'GET', '/v1/pets?limit=2')).toEqual({});
    expect(direct(routes, 'GET', '/v1/pets/7?a=/')).toEqual({ petId: '7' });
    for (const url of ['/v1/pets/', '/V1/pets', '/v1/pets/%37', '/v1/pets/7/8', '/v1/petsx', 'http://h/v1/pets', '*']) {
      expect(direct(routes, 'GET', url)).toBeUndefined();
    }
    for (const method of ['POST', 'HEAD', 'OPTIONS']) expect(direct(routes, method, '/v1/pets')).toBeUndefined();
  });

  it('leaves a handler that is not plain to Express', () => {
    const routes = application((it) => it.get('/v1/others', handler).get('/v1/pets', handler));
    expect(direct(routes, 'GET', '/v1/others')).toBeUndefined();
    expect(direct(routes, 'GET', '/v1/pets')).toEqual({});
  });

  it.each([
    ['/a/b', '/a/b'],
    ['/a/:any', '/a/b'],
    ['/a/b', '/a/:b'],
    ['/:some/b', '/a/:b'],
  ])('leaves what %s and %s share to Express: the first may be a middleware', (first, second) => {
    const routes = application((it) => it.get(first, handler).get(second, handler).get('/v1/pets', handler));
    expect(direct(routes, 'GET', '/a/b')).toBeUndefined();
    expect(direct(routes, 'GET', '/v1/pets')).toEqual({});
  });

  it('takes no middleware for the handler that stands behind something else', () => {
    const routes = application((it) => it.get('/v1/pets', handler).use(express.json()).get('/v1/pets', handler));
    expect(direct(routes, 'GET', '/v1/pets')).toBeUndefined();
  });

  it.each<[string, (application: Express) => void]>([
    ['a middleware', (it) => it.use((_request, _response, next) => next())],
    ['a middleware at a path', (it) => it.use('/elsewhere', (_request, _response, next) => next())],
    ['a route for all methods', (it) => it.all('/v1/pets', () => undefined)],
    ['a pattern of another kind', (it) => it.get('/v1/*rest', () => undefined)],
    ['a route of two handlers', (it) => it.get('/v1/pets', (_request, _response, next) => next(), handler)],
    ['a router of more than constant paths', (it) => it.use(Router().get('/:any', () => undefined))],
    ['a router with a middleware', (it) => it.use(Router().use((_request, _response, next) => next()))],
    ['a router that has the path itself', (it) => it.use(Router().get('/v1/pets', () => undefined))],
  ])('leaves what stands behind %s to Express', (_, before) => {
    const routes = application((it) => {
      before(it);
      it.get('/v1/pets', handler);
    });
    expect(direct(routes, 'GET', '/v1/pets')).toBeUndefined();
  });

  it('passes over a router of constant paths, such as that of the documentation', () => {
    const routes = application((it) => it.use(Router().get('/docs', () => undefined)).get('/v1/pets', handler));
    expect(direct(routes, 'GET', '/v1/pets')).toEqual({});
    expect(direct(routes, 'GET', '/docs')).toBeUndefined();
  });

  it('sees what is added later', () => {
    const made = express();
    const routes = directRoutes(made);
    made.get('/a', handler);
    expect(direct(routes, 'GET', '/a')).toEqual({});
    made.get('/b', handler);
    expect(direct(routes, 'GET', '/b')).toEqual({});
  });
});
