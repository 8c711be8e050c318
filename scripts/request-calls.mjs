/** Runs the built service with functions that report their calls, and returns the calls that a request causes. */
import { EventEmitter } from 'node:events';
import { registerHooks } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import ts from 'typescript';

const DIST = new URL('../dist/', import.meta.url).href;
/** How deep inside an argument the wanted value is looked for. */
const DEEPEST = 4;
/** A line of a stack: the name of a function, without its class, and the URL of its file. */
const FRAME = /at (?:async )?(?:[\w.<>]*?(?<name>\w+) (?:\[as \w+\] )?\()?(?<url>(?:file:)?\/[^)]+?):\d+:\d+\)?$/;
/** Milliseconds that a request may take. */
const LAST_MS = 60_000;
/** The last function that the service calls for a request, after the response is sent. */
const LAST = { file: 'platform/http/exchange-observer.ts', name: 'end' };

/**
 * Starts the service with its own features on SQLite in memory. Call it once, before anything of `dist` is loaded.
 *
 * @returns `application` of animal-store/testing, and `callsOf(work, holds)`, which returns the calls that `work`
 *   causes, in order. Each has the `file` in `src`, the `name` of the function, its `caller`, and `isGiven`, which is
 *   true if an argument contained a value for which `holds` is true. A caller is a function of the service in `file`,
 *   or a `library`; then `file` called the library's function `entered`, if it was the service that called it.
 */
export async function startNoting() {
  let note;
  globalThis.called = (...call) => note?.(...call);
  registerHooks({ load: instrumented });
  const { startTestApplication } = await import(`${DIST}testing/index.js`);
  const { features } = await import(`${DIST}features.js`);
  const application = await startTestApplication({ features });
  const callsOf = async (work, holds = () => false) => {
    const calls = [];
    note = (file, name, given) => calls.push({ file, name, caller: callerInStack(), isGiven: isIn(given, holds) });
    await work();
    const isLast = ({ file, name }) => file === LAST.file && name === LAST.name;
    for (const end = Date.now() + LAST_MS; !calls.some(isLast); await sleep(1)) {
      if (Date.now() > end) throw new Error(`${LAST.name} of ${LAST.file} was not called`);
    }
    note = undefined;
    return calls;
  };
  return { application, callsOf };
}

function instrumented(url, context, load) {
  const loaded = load(url, context);
  if (!url.startsWith(DIST)) return loaded;
  return { ...loaded, source: withNotes(sourceOf(url), String(loaded.source)) };
}

/** The source of a built file, for example `platform/time.ts`. */
const sourceOf = (url) => url.slice(DIST.length).replace(/\.js$/, '.ts');

/** The text of a module in which each function first reports its call and its arguments. */
function withNotes(file, text) {
  const added = [];
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body !== undefined) {
      const given = ts.isArrowFunction(node) ? `[${parameterNames(node)}]` : 'arguments';
      const note = `called('${file}', '${nameOf(node)}', ${given})`;
      if (ts.isBlock(node.body)) added.push({ at: node.body.getStart() + 1, text: `${note};` });
      else added.push({ at: node.body.getStart(), text: `(${note}, ` }, { at: node.body.end, text: ')' });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  added.sort((one, other) => one.at - other.at);
  return added.reduceRight((noted, { at, text: more }) => noted.slice(0, at) + more + noted.slice(at), text);
}

function parameterNames({ parameters }) {
  const names = parameters.map(({ name }) => name).filter((name) => ts.isIdentifier(name));
  return names.map(({ text }) => text).join();
}

/**
 * The function's own name, or the name that it is assigned to, or the name of the only function that it calls;
 * otherwise empty.
 */
function nameOf({ name, kind, parent, body }) {
  if (kind === ts.SyntaxKind.Constructor) return `new ${parent.name?.text ?? ''}`;
  const named =
    name ?? parent.name ?? (ts.isCallExpression(body) ? (body.expression.name ?? body.expression) : undefined);
  return named !== undefined && ts.isIdentifier(named) ? named.text : '';
}

/**
 * The caller of the reporting function, which is the first function of the service in the stack: `file`, or a `library`
 * that `file` called.
 */
function callerInStack() {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 50;
  const lines = new Error().stack.split('\n');
  Error.stackTraceLimit = limit;
  const frames = lines.map((line) => FRAME.exec(line)?.groups).filter((frame) => frame !== undefined);
  const behind = frames.slice(frames.findIndex(({ url }) => url.startsWith(DIST)) + 1);
  const at = behind.findIndex(({ url }) => url.startsWith(DIST));
  const file = at < 0 ? undefined : sourceOf(behind[at].url);
  const [nearest] = behind;
  if (at === 0 || nearest === undefined) return { file };
  const [, library] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(nearest.url) ?? [];
  return { file, library, entered: behind.at(at < 0 ? -1 : at - 1).name };
}

/**
 * Whether plain data contains a value for which `holds` is true. Objects with a stream or a server are skipped, since
 * all parts pass them on.
 */
function isIn(value, holds, depth = 0) {
  if (typeof value !== 'object' || value === null) return holds(value);
  if (ArrayBuffer.isView(value)) return false;
  const parts = value instanceof Map ? [...value].flat() : Object.values(value);
  if (depth > DEEPEST || [value, ...parts].some((one) => one instanceof EventEmitter)) return false;
  return parts.some((part) => isIn(part, holds, depth + 1));
}
