import { describe, expect, it } from '@jest/globals';
import { reason, withWholeHeaders } from './plain-answers.js';

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
