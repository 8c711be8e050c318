import type { DocumentInPage, SwaggerUi, SwaggerUiPlugin } from './swagger-ui.js';

/**
 * Integers beyond 2^53 on their way through Swagger UI, which knows only numbers that round them: strings with a mark
 * before the digits. The mark is a character of the private use area, which no document contains.
 */
const MARK = '\uE000';
const MARKED_IN_JSON = new RegExp(`"${MARK}(-?[0-9]+)"`, 'g');
const BOUND = /^(exclusive)?(minimum|maximum)$/i;

type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;
/** What ES2026 adds to JSON; the compiler's library does not describe it yet. A browser that has one part has the other. */
const { parse, rawJSON } = JSON as unknown as {
  parse: (text: string, reviver: Reviver) => unknown;
  rawJSON: (text: string) => unknown;
};

/**
 * Parses JSON; an integer that a number would round is marked instead. A bound of a schema that would be rounded is left
 * out: it only says int64 once more, and Swagger UI checks what is typed against it. (A browser from before 2025 does not
 * tell the source of a number; there numbers are rounded as ever.)
 *
 * @throws {SyntaxError} when the text is not JSON.
 */
export function parseMarked(text: string): unknown {
  return parse(text, (key, value, context) => {
    // For programs; a reader sees it in words.
    if (key === 'pattern' && typeof value === 'string') return undefined;
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    if (!/^-?[0-9]+$/.test(context?.source ?? '')) return value;
    return BOUND.test(key) ? undefined : `${MARK}${context?.source ?? ''}`;
  });
}

/** JSON text with each marked integer as its digits. */
export function unmarkJson(text: string): string {
  return text.replace(MARKED_IN_JSON, '$1');
}

/** The value with each marked integer, however deep, turned into something else. */
export function mapMarked(value: unknown, turn: (digits: string) => unknown): unknown {
  if (typeof value === 'string') return value.startsWith(MARK) ? turn(value.slice(MARK.length)) : value;
  if (Array.isArray(value)) return value.map((part) => mapMarked(part, turn));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, mapMarked(part, turn)]));
}

/**
 * Indents JSON text by two spaces a level. Numbers stay the characters that were sent: a number of JavaScript is exact
 * only up to 2^53, an id goes up to 2^63.
 *
 * @throws {SyntaxError} when the text is not JSON.
 */
export function indentJson(text: string): string {
  const exact = parse(text, (_key, value, context) =>
    typeof value === 'number' && context?.source !== undefined ? rawJSON(context.source) : value,
  );
  return JSON.stringify(exact, null, 2);
}

/**
 * The document whose text this is. The example of a parameter is put into an input field, where it is text anyway.
 *
 * @throws {SyntaxError} when the text is not JSON.
 */
export function readExactly(text: string): DocumentInPage {
  const document = parseMarked(text) as DocumentInPage;
  for (const operation of Object.values(document.paths ?? {}).flatMap((path) => Object.values(path))) {
    if (operation.parameters) operation.parameters = mapMarked(operation.parameters, String) as unknown[];
  }
  return document;
}

/** Swagger UI sends a response through JSON.parse to indent it, which rounds. This one shows what came. */
const responseBody =
  (Original: unknown, system: SwaggerUi) =>
  (props: { readonly content: unknown; readonly contentType?: string }): unknown => {
    const { createElement } = system.React;
    const text = /json/i.test(props.contentType ?? '') ? indented(props.content) : undefined;
    if (text === undefined) return createElement(Original, props);
    const code = { language: 'json', fileName: 'response.json', downloadable: true, canCopy: true };
    const heading = createElement('h5', null, 'Response body');
    return createElement('div', null, heading, createElement(system.getComponent('HighlightCode', true), code, text));
  };

function indented(content: unknown): string | undefined {
  try {
    return typeof content === 'string' ? indentJson(content) : undefined;
  } catch {
    return undefined;
  }
}

/** A value inside a schema, such as an example; this component does know what a bigint is. */
const schemaValue =
  (Original: unknown, system: SwaggerUi) =>
  (props: { readonly value: unknown }): unknown =>
    system.React.createElement(Original, { ...props, value: mapMarked(props.value, BigInt) });

type Samples = (schema: unknown, mediaType: unknown, config: unknown, example?: unknown) => unknown;

/**
 * A plugin for Swagger UI that shows integers beyond 2^53 with their true digits: in the examples of a document that
 * `readExactly` gave, in its schemas and in responses.
 */
export const exactNumbers: SwaggerUiPlugin = {
  wrapComponents: { responseBody, JSONSchema202012JSONViewer: schemaValue },
  afterLoad() {
    const original = this.fn.getSampleSchema as Samples;
    const exact: Samples = (schema, mediaType, config, example) => {
      const sample = example === undefined ? original(schema, mediaType, config) : JSON.stringify(example, null, 2);
      return typeof sample === 'string' ? unmarkJson(sample) : sample;
    };
    this.fn.getSampleSchema = exact;
  },
};
