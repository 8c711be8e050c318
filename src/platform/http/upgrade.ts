import type { IncomingMessage } from 'node:http';

/** Node's parser of a connection, as far as it is called here: Node documents nothing of it. */
interface Parser {
  readonly constructor: { readonly kOnExecute: number };
  /** Under `kOnExecute`: told of each packet how much of it was read, or what is wrong with it. */
  [event: number]: (read: number | Error, packet?: Buffer) => void;
  execute(bytes: Buffer): number | Error;
  getCurrentBuffer(): Buffer;
}

/**
 * Has the parser read on behind a request that names another protocol, which is ignored (RFC 9110 §7.8). It stops there, since
 * that protocol could begin, and Node drops what else came in the packet even where it takes no upgrade: a request, or the
 * beginning of one, whose end would then be taken for the next.
 */
export function readOnBehind(request: IncomingMessage): void {
  const { parser } = request.socket as unknown as { readonly parser: Parser };
  const { kOnExecute } = parser.constructor;
  const tell = parser[kOnExecute] as Parser[number];
  parser[kOnExecute] = (read, packet = parser.getCurrentBuffer()) => {
    if (!request.complete || read instanceof Error) return tell(read);
    parser[kOnExecute] = tell;
    const rest = packet.subarray(read);
    if (rest.length === 0) return tell(read);
    const readOfRest = parser.execute(rest);
    // Where the rest has another such request, that has put itself in this place.
    parser[kOnExecute](readOfRest, rest);
  };
}
