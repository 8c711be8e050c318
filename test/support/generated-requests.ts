import fc from 'fast-check';
import type { ApiDocument, Operation, Parameter, Schema } from './api-document.js';
import { exactJson } from './http.js';

/** One request for an operation. The sender adds a key. */
export interface GeneratedRequest {
  /** A description for the message of a failed test. */
  readonly what: string;
  /** Path and query below the base path. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Sent as `application/json`, unless the headers name another type; '' means no type. */
  readonly body?: string;
  /** The statuses that are correct answers. */
  readonly statuses: readonly number[];
}

interface Values {
  readonly path: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
}

type Broken = readonly [what: string, text: string];

const SUCCESS = [200, 201, 304];
/** A list accepts only cursors that it returned, and no schema can say so. */
const isOpaque = ({ name }: Parameter): boolean => name === 'cursor';

/** Generates valid and invalid requests for the operations of a document from its schemas and examples alone. */
export class RequestGenerator {
  readonly #document: ApiDocument;

  constructor(document: ApiDocument) {
    this.#document = document;
  }

  /** The request that consists of the examples. */
  example(operation: Operation): GeneratedRequest {
    return this.#request(operation, 'the examples', this.#exampleValues(operation), SUCCESS);
  }

  /** An arbitrary request that the schemas allow. 404 is a correct answer too: a random id may name nothing. */
  valid(operation: Operation): fc.Arbitrary<GeneratedRequest> {
    const statuses = operation.path.includes('{') ? [...SUCCESS, 404] : SUCCESS;
    const named = (place: Parameter['in']): Parameter[] =>
      operation.parameters.filter((parameter) => parameter.in === place && !isOpaque(parameter));
    const pathValues = named('path').map(({ name, schema }) => [name, this.#text(schema)] as const);
    return fc
      .record({
        path: fc.record(Object.fromEntries(pathValues)),
        query: this.#someOf(named('query'), (text) => text),
        headers: this.#someOf(named('header'), (text) => text.filter((value) => /^[!-~]+$/.test(value))),
        body: operation.body === undefined ? fc.constant(undefined) : this.#json(operation.body.schema),
      })
      .map(({ body, ...values }) => {
        const all = { ...values, ...(body !== undefined && { body: exactJson(body) }) };
        return this.#request(operation, 'what the schemas allow', all, statuses);
      });
  }

  /** The example request with one constraint broken, once for each constraint of the operation's schemas. */
  broken(operation: Operation): GeneratedRequest[] {
    const good = this.#exampleValues(operation);
    return [
      ...operation.parameters.flatMap((parameter) => this.#brokenParameter(operation, good, parameter)),
      this.#request(operation, 'an unknown parameter', { ...good, query: [...good.query, ['unknown', '1']] }, [400]),
      ...this.#brokenBodies(operation).map(([what, body]) => this.#request(operation, what, { ...good, body }, [400])),
    ];
  }

  #exampleValues({ parameters, body }: Operation): Values {
    const inPath = parameters.filter((parameter) => parameter.in === 'path');
    return {
      path: Object.fromEntries(inPath.map(({ name, example }) => [name, String(example)])),
      query: [],
      headers: [],
      ...(body !== undefined && { body: exactJson(body.example) }),
    };
  }

  #brokenParameter(operation: Operation, good: Values, parameter: Parameter): GeneratedRequest[] {
    const { name, schema } = parameter;
    const broken = brokenTexts(this.#document.resolve(schema));
    const make = ([what, text]: Broken): GeneratedRequest[] => {
      const about = `${name} that ${what}`;
      if (parameter.in === 'query') {
        return [this.#request(operation, about, { ...good, query: [[name, text]] }, [400])];
      }
      if (parameter.in === 'header') {
        return [this.#request(operation, about, { ...good, headers: [[name, text]] }, [400])];
      }
      // Without this parameter the request would have another path.
      return text === '' ? [] : [this.#request(operation, about, { ...good, path: { [name]: text } }, [404])];
    };
    const twice: readonly (readonly [string, string])[] = [
      [name, '1'],
      [name, '1'],
    ];
    const repeated = this.#request(operation, `${name} twice`, { ...good, query: twice }, [400]);
    return [...broken.flatMap(make), ...(parameter.in === 'query' ? [repeated] : [])];
  }

  #brokenBodies({ body }: Operation): Broken[] {
    if (body === undefined) return [];
    const { properties = {}, required = [] } = this.#document.resolve(body.schema);
    const good = Object.entries(body.example as Record<string, unknown>).map(([name, value]) => [
      name,
      exactJson(value),
    ]);
    const texts = Object.fromEntries(good) as Record<string, string>;
    const json = (fields: Readonly<Record<string, string>>): string =>
      `{${Object.entries(fields)
        .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
        .join(',')}}`;
    const without = (gone: string): string =>
      json(Object.fromEntries(Object.entries(texts).filter(([name]) => name !== gone)));
    return [
      ...['[]', '"x"', '7', 'null', 'true'].map((text): Broken => [`a body that is ${text}`, text]),
      ['a body cut off', json(texts).slice(0, -1)],
      ['a body with more behind it', `${json(texts)}x`],
      ['a field twice', json(texts).replace('{', `{${json(texts).slice(1, -1)},`)],
      ['no body', ''],
      ['an unknown field', json({ ...texts, unknown: '1' })],
      ...required.map((name): Broken => [`no ${name}`, without(name)]),
      ...Object.entries(properties).flatMap(([name, schema]) =>
        brokenJson(this.#document.resolve(schema)).map(([what, text]): Broken => [
          `${name} that ${what}`,
          json({ ...texts, [name]: text }),
        ]),
      ),
    ];
  }

  #request(operation: Operation, what: string, values: Values, statuses: readonly number[]): GeneratedRequest {
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values.path[name] ?? ''));
    const query = values.query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
    const { headers, body } = values;
    const target = query === '' ? path : `${path}?${query}`;
    return {
      what: `${operation.operationId} with ${what}`,
      target,
      headers,
      ...(body !== undefined && { body }),
      statuses,
    };
  }

  /** Each optional parameter is present or absent, with a value that its schema allows. */
  #someOf(
    parameters: readonly Parameter[],
    narrow: (text: fc.Arbitrary<string>) => fc.Arbitrary<string>,
  ): fc.Arbitrary<[string, string][]> {
    const each = parameters.map(({ name, schema }) => [name, narrow(this.#text(schema))] as const);
    return fc
      .record<Record<string, string>>(Object.fromEntries(each), { requiredKeys: [] })
      .map((values) => Object.entries<string>(values));
  }

  #text(schema: Schema): fc.Arbitrary<string> {
    return this.#json(schema).map(String);
  }

  #json(reference: Schema): fc.Arbitrary<unknown> {
    const schema = this.#document.resolve(reference);
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    if (schema.type === 'integer') {
      return fc.bigInt({ min: BigInt(schema.minimum ?? -1000), max: BigInt(schema.maximum ?? 1000) });
    }
    if (schema.type === 'string') return stringsOf(schema);
    if (schema.type !== 'object') throw new Error(`Nothing here makes ${JSON.stringify(schema)}`);
    const { properties = {}, required = [] } = schema;
    const fields = Object.entries(properties).map(([name, field]) => [name, this.#json(field)] as const);
    return fc.record(Object.fromEntries(fields), { requiredKeys: [...required] });
  }
}

const lengthOf = (text: string): number => [...text].length;
const fits = ({ minLength = 0, maxLength = Infinity }: Schema, text: string): boolean =>
  lengthOf(text) >= minLength && lengthOf(text) <= maxLength;

function stringsOf(schema: Schema): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = 100, pattern = '' } = schema;
  const allowed = new RegExp(pattern, 'u');
  return fc
    .oneof(
      fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 255) }),
      fc.string({ unit: 'grapheme-ascii', minLength, maxLength: Math.min(maxLength, 255) }),
      ...(pattern === '' ? [] : [fc.stringMatching(allowed)]),
    )
    .filter((text) => fits(schema, text) && allowed.test(text));
}

/** Strings that break one constraint each. */
function brokenStrings(schema: Schema): Broken[] {
  const { enum: values, minLength = 0, maxLength, pattern } = schema;
  if (values !== undefined) {
    return [
      ['is none of them', 'other'],
      ['is in capitals', (values[0] ?? '').toUpperCase()],
      ['is empty', ''],
    ];
  }
  const broken: Broken[] = [];
  if (minLength > 0) broken.push(['is too short', 'x'.repeat(minLength - 1)]);
  if (maxLength !== undefined) broken.push(['is too long', 'x'.repeat(maxLength + 1)]);
  if (pattern === undefined) return broken;
  const allowed = new RegExp(pattern, 'u');
  const odd = ['', ' ', 'a b', 'a\tb', '"', 'a\u007fb', 'a\u0000b', '\u3000', '!', 'x'.repeat(300)];
  return [
    ...broken,
    ...odd
      .filter((text) => fits(schema, text) && !allowed.test(text))
      .map((text): Broken => [`is ${JSON.stringify(text)}`, text]),
  ];
}

function brokenBounds({ minimum, maximum }: Schema): Broken[] {
  const broken: Broken[] = [];
  if (minimum !== undefined) broken.push(['is too small', String(BigInt(minimum) - 1n)]);
  if (maximum !== undefined) broken.push(['is too great', String(BigInt(maximum) + 1n)]);
  return broken;
}

/**
 * Values of a parameter that break its schema. Control characters are percent-encoded, since headers and URLs cannot
 * hold them.
 */
function brokenTexts(schema: Schema): Broken[] {
  if (schema.type !== 'integer') return brokenStrings(schema);
  const texts = ['', 'x', '1.5', '+5', '05', '1e1', '0x5', ' 5', '\uff15'];
  return [...brokenBounds(schema), ...texts.map((text): Broken => [`is ${JSON.stringify(text)}`, text])];
}

function brokenJson(schema: Schema): Broken[] {
  const types = schema.type === 'integer' ? ['"7"', '1.5', '1e99999999'] : ['7', '"\\ud800"'];
  const broken: Broken[] =
    schema.type === 'integer'
      ? brokenBounds(schema)
      : brokenStrings(schema).map(([what, text]) => [what, JSON.stringify(text)]);
  return [...[...types, 'null', 'true', '[]', '{}'].map((text): Broken => [`is ${text}`, text]), ...broken];
}
