/** The package has no types of its own; as far as it is called here. */
declare module 'cors' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface Options {
    readonly origin: readonly string[];
    readonly exposedHeaders: readonly string[];
    readonly maxAge: number;
    readonly preflightContinue: boolean;
  }

  export default function cors(
    options: Options,
  ): (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
}
