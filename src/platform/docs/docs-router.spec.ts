import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import express, { type NextFunction, type Request, type Response } from 'express';
import { readdirSync } from 'node:fs';
import { request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError, coreErrors } from '../errors/index.js';
import { docsAssetFolders, docsRouter } from './docs-router.js';
import { animalStore } from './document-source.js';

const texts = jest.fn(() => Promise.resolve({ json: '{"openapi":"3.1.0"}\n', yaml: 'openapi: 3.1.0\n' }));
let server: Server;

beforeAll(async () => {
  const application = express();
  application.use(docsRouter(animalStore, texts));
  application.use((_request, response) => void response.status(404).send('unmatched'));
  application.use((error: ApiError, _request: Request, response: Response, _next: NextFunction) => {
    response.status(error.status).set(error.headers).send(error.code);
  });
  await new Promise<void>((resolve) => (server = application.listen(0, '127.0.0.1', () => resolve())));
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Uses node:http, because fetch follows redirects and normalises paths. */
function ask(
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<IncomingMessage & { text: string }> {
  return new Promise((resolve, reject) => {
    const { port } = server.address() as AddressInfo;
    request({ port, host: '127.0.0.1', path, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve(Object.assign(response, { text })));
    })
      .on('error', reject)
      .end();
  });
}

describe('the documentation', () => {
  it('is a page under a policy that lets it load nothing from elsewhere', async () => {
    const page = await ask('/docs');
    expect(page.statusCode).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    expect(page.headers['content-security-policy']).not.toMatch(/unsafe|upgrade-insecure-requests/);
    expect(page.text).toContain('<title>Animal Store API</title>');
  });

  it('has no script or style inside the page, and only addresses relative to it', async () => {
    const { text } = await ask('/docs');
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=/);
    const addresses = [...text.matchAll(/\s(?:src|href)="([^"]*)"/g)].map(([, address]) => address);
    expect(addresses.length).toBeGreaterThan(5);
    for (const address of addresses)
      expect(address).toMatch(/^\.\/(docs\/assets\/[\w.-]+|docs\/api\.md|openapi\.(json|yaml))$/);
  });

  it('makes the document once, at the first request for it, and again where that failed', async () => {
    texts.mockRejectedValueOnce(new ApiError(coreErrors.serviceUnavailable));
    expect((await ask('/openapi.json')).statusCode).toBe(503);
    const json = await ask('/openapi.json');
    expect([json.headers['content-type'], json.text]).toStrictEqual([
      'application/json; charset=utf-8',
      '{"openapi":"3.1.0"}\n',
    ]);
    const yaml = await ask('/openapi.yaml');
    expect([yaml.headers['content-type'], yaml.text]).toStrictEqual(['application/yaml', 'openapi: 3.1.0\n']);
    expect(texts).toHaveBeenCalledTimes(2);
  });

  it('answers 304 to whoever has it', async () => {
    for (const path of ['/docs', '/docs/assets/docs.css', '/openapi.json', '/docs/assets/swagger-ui.css']) {
      const first = await ask(path);
      expect(first.headers['cache-control']).toBe('no-cache');
      const again = await ask(path, { 'If-None-Match': first.headers.etag! });
      expect([path, again.statusCode, again.text]).toStrictEqual([path, 304, '']);
    }
  });

  it.each([
    { Range: 'bytes=0-5' },
    { Range: 'bytes=999999999-' },
    { 'If-Match': '"other"' },
    { 'If-Unmodified-Since': 'Mon, 01 Jan 2001 00:00:00 GMT' },
    { Accept: 'text/plain' },
  ])('is whole whatever %j asks', async (headers) => {
    for (const path of ['/docs', '/openapi.json', '/docs/assets/docs.css', '/docs/assets/logo.svg']) {
      const { statusCode, text } = await ask(path, headers);
      expect([path, statusCode, text]).toStrictEqual([path, 200, (await ask(path)).text]);
    }
  });

  it('serves every file that the page’s modules are, and nothing else of their folders', async () => {
    const modules = readdirSync(new URL('./browser/', import.meta.url)).filter((name) => !name.includes('.spec.'));
    const served = [...docsAssetFolders()].filter(([, folder]) => folder.endsWith('/browser/')).map(([name]) => name);
    const typesOnly = 'swagger-ui.js';
    expect([...served, typesOnly].sort()).toEqual(modules.map((name) => name.replace(/\.ts$/, '.js')).sort());
    for (const name of ['package.json', 'index.html', '../package.json', '%2e%2e/package.json', typesOnly]) {
      expect([name, (await ask(`/docs/assets/${name}`)).statusCode]).toStrictEqual([name, 404]);
    }
    expect((await ask('/docs/assets/swagger-ui-bundle.js', {}, 'HEAD')).headers['content-type']).toMatch(/javascript/);
  });

  it.each(['/docs', '/openapi.json', '/docs/assets/docs.css'])('knows GET, HEAD and OPTIONS at %s', async (path) => {
    const options = await ask(path, {}, 'OPTIONS');
    expect([options.statusCode, options.headers.allow]).toStrictEqual([204, 'GET, HEAD, OPTIONS']);
    const post = await ask(path, {}, 'POST');
    expect([post.statusCode, post.headers.allow, post.text]).toStrictEqual([
      405,
      'GET, HEAD, OPTIONS',
      'method_not_allowed',
    ]);
    const head = await ask(path, {}, 'HEAD');
    expect([head.statusCode, head.text]).toStrictEqual([200, '']);
  });

  it.each(['/docs/', '/Docs', '//docs', '/openapi.json/', '/openapi', '/docs/assets/'])(
    'leaves %s unmatched',
    async (path) => {
      expect((await ask(path)).statusCode).toBe(404);
    },
  );
});

describe('the root', () => {
  it.each(['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html', 'text/*'])(
    'sends a browser, Accept: %s, to the page by a relative way',
    async (accept) => {
      const { statusCode, headers } = await ask('/', { Accept: accept });
      expect([statusCode, headers.location, headers.vary]).toStrictEqual([302, './docs', 'Accept']);
    },
  );

  it.each([{}, { Accept: '*/*' }, { Accept: 'application/json' }, { Accept: 'application/json, text/html;q=0.9' }])(
    'is nothing to anyone else: %j',
    async (headers) => {
      expect((await ask('/', headers as Record<string, string>)).statusCode).toBe(404);
    },
  );
});
