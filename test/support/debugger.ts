import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

interface Script {
  readonly url: string;
  readonly sourceMapURL?: string;
}

interface Paused {
  readonly callFrames: readonly { readonly callFrameId: string }[];
}

/** A position in a source file; its line is counted from 0. */
interface Place {
  readonly source: string;
  readonly line: number;
}

/**
 * A debugger like that of an editor: it speaks the inspector's protocol with Node, and finds lines of sources by source
 * maps.
 */
export class NodeDebugger {
  readonly #scripts: Script[] = [];
  readonly #answers = new Map<number, (message: Message) => void>();
  #pause = Promise.withResolvers<Paused>();
  #sent = 0;

  private constructor(private readonly socket: WebSocket) {
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data)) as Message;
      if (message.id !== undefined) this.#answers.get(message.id)?.(message);
      if (message.method === 'Debugger.scriptParsed') this.#scripts.push(message.params as Script);
      if (message.method === 'Debugger.paused') this.#pause.resolve(message.params as Paused);
    });
  }

  /** @param url the URL that Node printed after "Debugger listening on". */
  static async attach(url: string): Promise<NodeDebugger> {
    const socket = new WebSocket(url);
    await new Promise((opened, failed) => {
      socket.addEventListener('open', opened);
      socket.addEventListener('error', failed);
    });
    const own = new NodeDebugger(socket);
    await own.#send('Debugger.enable');
    return own;
  }

  /**
   * Sets a breakpoint on the first line of a TypeScript source that contains `text`. Returns that line, counted from 1.
   */
  async breakAt(source: string, text: string): Promise<number> {
    const line = readFileSync(source, 'utf8')
      .split('\n')
      .findIndex((written) => written.includes(text));
    const { url, built } = this.#builtFrom({ source: realpathSync(source), line });
    await this.#send('Debugger.setBreakpointByUrl', { url, lineNumber: built });
    return line + 1;
  }

  /** Waits for a breakpoint and evaluates an expression there. */
  async valueAtPause(expression: string): Promise<unknown> {
    const [frame] = (await this.#pause.promise).callFrames;
    const params = { callFrameId: frame?.callFrameId, expression, returnByValue: true };
    return ((await this.#send('Debugger.evaluateOnCallFrame', params)) as { result: { value: unknown } }).result.value;
  }

  async resume(): Promise<void> {
    this.#pause = Promise.withResolvers<Paused>();
    await this.#send('Debugger.resume');
  }

  detach(): void {
    this.socket.close();
  }

  async #send(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#sent;
    const { promise, resolve: answer } = Promise.withResolvers<Message>();
    this.#answers.set(id, answer);
    this.socket.send(JSON.stringify({ id, method, params }));
    const { error, result } = await promise;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  /** Finds the script that was built from a line of a source, and the line in it, counted from 0. */
  #builtFrom(place: Place): { url: string; built: number } {
    for (const { url, sourceMapURL = '' } of this.#scripts.filter(({ url: of }) => of.startsWith('file:'))) {
      const map = resolve(dirname(fileURLToPath(url)), sourceMapURL);
      if (sourceMapURL === '' || !existsSync(map)) continue;
      const built = lineOf(fileURLToPath(url), map, place);
      if (built !== undefined) return { url, built };
    }
    throw new Error(`No script that is loaded was built from line ${String(place.line + 1)} of ${place.source}`);
  }
}

function lineOf(script: string, mapFile: string, { source, line }: Place): number | undefined {
  const map = new SourceMap(JSON.parse(readFileSync(mapFile, 'utf8')) as ConstructorParameters<typeof SourceMap>[0]);
  if (!map.payload.sources.some((path) => resolve(dirname(mapFile), path) === source)) return undefined;
  const lines = readFileSync(script, 'utf8').split('\n');
  const built = lines.findIndex((text, at) => {
    const entry = map.findEntry(at, text.search(/\S|$/));
    return (
      'originalSource' in entry &&
      entry.originalLine === line &&
      entry.generatedLine === at &&
      resolve(dirname(mapFile), entry.originalSource) === source
    );
  });
  return built < 0 ? undefined : built;
}
