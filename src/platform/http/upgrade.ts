import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Node's parser of a connection, as far as it is called here. Node documents nothing of it: it may be gone one day. */
interface Parser {
  readonly constructor: { readonly kOnExecute: number };
  /** The listener at `kOnExecute` is called for each packet with the number of bytes read, or with the error. */
  [event: number]: ((read: number | Error) => void) | undefined;
  execute(bytes: Buffer): number | Error;
  getCurrentBuffer(): Buffer;
}

/** The request of each connection after which the parser pauses next. */
const pauses = new WeakMap<Socket, IncomingMessage>();

/** Has the requests of a class never become another protocol, not by CONNECT either: their connection goes on with HTTP. */
export function ignoreUpgrades(requests: typeof IncomingMessage): typeof IncomingMessage {
  // Node's own: whether the connection is another protocol's from here on.
  Object.defineProperty(requests.prototype, 'upgrade', {
    get: () => false,
    set(this: IncomingMessage, isAskedFor: boolean | null) {
      if (isAskedFor === true) readOnBehind(this);
    },
  });
  return requests;
}

/**
 * Has the parser read on behind a request that names another protocol, which is ignored (RFC 9110 §7.8). llhttp pauses there,
 * since the other protocol could begin, and Node drops the rest of the packet though it takes no upgrade: what came in it
 * would be lost, or the second half of a request be read as one of its own. `shouldUpgradeCallback` of Node 24.9 changes nothing
 * of that: with or without it Node drops the rest of the packet. Nor does Node report what is wrong in its body, or
 * in the head behind it: it takes for the other protocol whatever the parser leaves unread.
 */
function readOnBehind(request: IncomingMessage): void {
  const { socket } = request;
  const isWatched = pauses.has(socket);
  pauses.set(socket, request);
  if (!isWatched) watch(socket);
}

function watch(socket: Socket): void {
  const { parser } = socket as unknown as { readonly parser: Parser | null };
  if (parser === null) return;
  const event = parser.constructor.kOnExecute;
  const report = parser[event];
  if (report === undefined) return;
  let isBehind: IncomingMessage | undefined;
  const listener = (result: number | Error): void => {
    let read = result;
    for (let bytes = parser.getCurrentBuffer(); !(read instanceof Error);) {
      const request = pauses.get(socket);
      const isPause = request?.complete === true && isBehind !== request;
      if (isPause) isBehind = request;
      bytes = bytes.subarray(read);
      if (bytes.length === 0) break;
      read = isPause ? parser.execute(bytes) : unreadable();
      // It ended the connection.
      if (parser[event] !== listener) return;
    }
    report(read);
  };
  parser[event] = listener;
}

const unreadable = (): Error => Object.assign(new Error('The parser stopped'), { code: 'HPE_INVALID' });
