import { describe, expect, it } from '@jest/globals';
import express, { Router, type Express, type Request, type Response } from 'express';
import { DirectRoutes } from './direct-routes.js';

const seen: object[] = [];
const handler = (request: Request): void => void seen.push({ ...request.params });

/** What a request comes to: the parameters that the handler got; undefined where it is left to Express. */
function direct(routes: DirectRoutes, method: string, url: string): object | undefined {
  seen.length = 0;
  const taken = routes.dispatch({ method, url } as Request, {} as Response, () => undefined);
  expect(seen).toHaveLength(taken ? 1 : 0);
  return seen[0];
}

function application(build: (application: Express) => void): DirectRoutes {
  const made = express();
  made.use((_request, _response, next) => next());
  const routes = new DirectRoutes(made, made.router.stack.length);
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

  it('takes the first of two that match, as Express does', () => {
    const routes = application((it) => it.get('/a/:b', handler).get('/a/b', () => seen.push({ late: true })));
    expect(direct(routes, 'GET', '/a/b')).toEqual({ b: 'b' });
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
    const routes = new DirectRoutes(made, 0);
    made.get('/a', handler);
    expect(direct(routes, 'GET', '/a')).toEqual({});
    made.get('/b', handler);
    expect(direct(routes, 'GET', '/b')).toEqual({});
  });
});
