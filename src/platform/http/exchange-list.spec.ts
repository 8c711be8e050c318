import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { Exchange } from './exchange.js';
import { ExchangeList } from './exchange-list.js';

const MIB = 1024 ** 2;
/** Exchanges that are in the list at the same time, and exchanges in total. */
const AT_ONCE = 32;
const IN_ALL = 60_000;

const socket = new Socket();
const begin = (): Exchange => {
  const request = new IncomingMessage(socket);
  return new Exchange(request, new ServerResponse(request));
};

describe('ExchangeList', () => {
  it('has exchanges in the order in which they came, each once', () => {
    const list = new ExchangeList('placeAmongActive');
    const [one, two, three] = [begin(), begin(), begin()];
    for (const exchange of [one, two, three, one]) list.add(exchange);
    expect([...list]).toEqual([two, three, one]);
    list.remove(two);
    list.remove(two);
    expect([...list]).toEqual([three, one]);
    expect([list.size, list.first]).toStrictEqual([2, three]);
  });

  it('lets go of those that left, so that none of them grows old', () => {
    setFlagsFromString('--expose-gc');
    const collectAll = runInNewContext('gc') as () => void;
    const oldBytes = (): number =>
      getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ?? 0;
    const list = new ExchangeList('placeAmongActive');
    const present: Exchange[] = [];
    const comeAndGo = (count: number): void => {
      for (let index = 0; index < count; index += 1) {
        present.push(begin());
        list.add(present.at(-1) as Exchange);
        if (present.length > AT_ONCE) list.remove(present.shift() as Exchange);
      }
    };
    comeAndGo(1000);
    collectAll();
    const before = oldBytes();
    let most = 0;
    for (let round = 0; round < 20; round += 1) {
      comeAndGo(IN_ALL / 20);
      most = Math.max(most, oldBytes() - before);
    }
    // An exchange that is kept takes about 4 KiB.
    expect(most / MIB).toBeLessThan(12);
  });
});
