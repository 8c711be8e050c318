import type { IncomingMessage } from 'node:http';

/** Node's parser of a connection, as far as it is called here. Node documents nothing of it: it may be gone one day. */
interface Parser {
  readonly constructor: { readonly kOnExecute: number };
  /** Under `kOnExecute`: told of each packet how much of it was read, or what is wrong with it. */
  [event: number]: ((read: number | Error, packet?: Buffer) => void) | undefined;
  execute(bytes: Buffer): number | Error;
  getCurrentBuffer(): Buffer;
}

/**
 * Has the parser read on behind a request that names another protocol, which is ignored (RFC 9110 §7.8). llhttp pauses there,
 * since the other protocol could begin, and Node drops the rest of the packet though it takes no upgrade: what came in it
 * would be lost, or the second half of a request be read as one of its own.
 */
export function readOnBehind(request: IncomingMessage): void {
  const { parser } = request.socket as unknown as { readonly parser: Parser | null };
  if (parser === null) return;
  const event = parser.constructor.kOnExecute;
  const listener = (): Parser[number] => parser[event];
  const tell = listener();
  if (tell === undefined) return;
  parser[event] = (read, packet) => {
    if (!request.complete || read instanceof Error) return tell(read);
    parser[event] = tell;
    const rest = (packet ?? parser.getCurrentBuffer()).subarray(read);
    if (rest.length === 0) return tell(read);
    const readOfRest = parser.execute(rest);
    // Where the rest has another such request, that has put itself in this place; where it ended the connection, nobody is.
    listener()?.(readOfRest, rest);
  };
}
