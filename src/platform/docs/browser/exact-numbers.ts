import type { DocumentInPage, SwaggerUi, SwaggerUiPlugin } from './swagger-ui.js';

/**
 * Swagger UI holds numbers as doubles, which round integers beyond 2^53. This page passes such integers through Swagger
 * UI as strings: this mark and then the digits. The mark is a private-use character, which no document contains.
 */
const MARK = '\uE000';
const MARKED_IN_JSON = new RegExp(`"${MARK}(-?[0-9]+)"`, 'g');
const BOUND = /^(exclusive)?(minimum|maximum)$/i;

type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;
/**
 * Additions of ES2026 to JSON, which the compiler's library does not describe yet. A browser that has one of them has
 * both.
 */
const { parse, rawJSON } = JSON as unknown as {
  parse: (text: string, reviver: Reviver) => unknown;
  rawJSON: (text: string) => unknown;
};

/**
 * Parses JSON, and marks each integer that a double would round. Bounds of a schema that would be rounded are left out:
 * they only repeat int64, and Swagger UI would check the input against the rounded value. A browser from before 2025
 * does not pass the source of a number; there such integers are rounded.
 *
 * @throws {SyntaxError} if the text is not JSON.
 */
export function parseMarked(text: string): unknown {
  return parse(text, (key, value, context) => {
    // Patterns are for programs; the description says the same in words.
    if (key === 'pattern' && typeof value === 'string') return undefined;
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    if (!/^-?[0-9]+$/.test(context?.source ?? '')) return value;
    return BOUND.test(key) ? undefined : `${MARK}${context?.source ?? ''}`;
  });
}

/** Replaces each marked integer in JSON text by its digits. */
export function unmarkJson(text: string): string {
  return text.replace(MARKED_IN_JSON, '$1');
}

/** Returns a copy of the value in which `turn` has replaced each marked integer, at any depth. */
export function mapMarked(value: unknown, turn: (digits: string) => unknown): unknown {
  if (typeof value === 'string') return value.startsWith(MARK) ? turn(value.slice(MARK.length)) : value;
  if (Array.isArray(value)) return value.map((part) => mapMarked(part, turn));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, mapMarked(part, turn)]));
}

/**
 * Indents JSON text by two spaces a level. Numbers keep the characters that were sent: JavaScript numbers are exact
 * only up to 2^53, but ids go up to 2^63.
 *
 * @throws {SyntaxError} if the text is not JSON.
 */
export function indentJson(text: string): string {
  const exact = parse(text, (_key, value, context) =>
    typeof value === 'number' && context?.source !== undefined ? rawJSON(context.source) : value,
  );
  return JSON.stringify(exact, null, 2);
}

/**
 * Parses the document. The examples of parameters become text, because Swagger UI puts them into input fields.
 *
 * @throws {SyntaxError} if the text is not JSON.
 */
export function readExactly(text: string): DocumentInPage {
  const document = parseMarked(text) as DocumentInPage;
  for (const operation of Object.values(document.paths ?? {}).flatMap((path) => Object.values(path))) {
    if (operation.parameters) operation.parameters = mapMarked(operation.parameters, String) as unknown[];
  }
  return document;
}

/** Swagger UI indents a response with JSON.parse, which rounds. This component keeps the digits that were sent. */
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

/**
 * Shows a value inside a schema, such as an example, as a bigint. Swagger UI's component for such values supports
 * bigint.
 */
const schemaValue =
  (Original: unknown, system: SwaggerUi) =>
  (props: { readonly value: unknown }): unknown =>
    system.React.createElement(Original, { ...props, value: mapMarked(props.value, BigInt) });

type Samples = (schema: unknown, mediaType: unknown, config: unknown, example?: unknown) => unknown;

/**
 * A plugin for Swagger UI that shows integers beyond 2^53 exactly: in the examples and schemas of a document that
 * `readExactly` returned, and in responses.
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
