import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { ApiDocument, DeclaredResponse, Operation, Schema } from './api-document.js';
import { parseExactJson } from './http.js';
import type { RawResponse } from './raw-http.js';

/** Headers of HTTP itself, and headers that every response of the service carries, whatever the operation. */
const NOT_DECLARED = ['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'x-content-type-options'];

interface Bounds {
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
}

/**
 * Compares responses with an OpenAPI document, exact integers included, and remembers which declared responses it has
 * seen.
 */
export class AnswerCheck {
  readonly #ajv = new Ajv2020({ allErrors: true, strict: true });
  readonly #validators = new Map<object, ValidateFunction>();
  readonly #seen = new Set<string>();
  readonly #document: ApiDocument;

  constructor(document: ApiDocument) {
    this.#document = document;
    // Ajv knows no bigint.
    this.#ajv.addKeyword({ keyword: 'exactInteger', validate: isExactInteger, errors: false });
    for (const [name, schema] of Object.entries(document.schemas)) this.#ajv.addSchema(exact(schema) as object, name);
  }

  /** Every difference between a response and what its operation declares. Remembers the response as seen. */
  faultsOf(operation: Operation, answer: RawResponse): string[] {
    const declared = operation.responses[answer.status];
    if (declared === undefined) return [`status ${answer.status} is not declared`];
    return [...this.#bodyFaults(operation, declared, answer), ...this.#headerFaults(declared, answer)];
  }

  /**
   * The declared responses that no operation has given yet: `OPERATION STATUS`, with the code where a status has
   * several.
   */
  get unseen(): string[] {
    const declared = this.#document.operations.flatMap((operation) =>
      Object.entries(operation.responses).flatMap(([status, { content }]) => {
        const codes = Object.keys(content?.['application/json']?.examples ?? { '': true });
        return codes.map((code) => nameOf(operation, status, code));
      }),
    );
    return declared.filter((name) => !this.#seen.has(name));
  }

  #bodyFaults(operation: Operation, { content }: DeclaredResponse, answer: RawResponse): string[] {
    const media = content?.['application/json'];
    if (media === undefined) {
      this.#seen.add(nameOf(operation, answer.status));
      return answer.body.length === 0 ? [] : ['it has a body, which is not declared'];
    }
    const type = answer.headers.get('content-type') ?? 'none';
    if (!/^application\/json\b/.test(type)) return [`media type ${type} is not declared`];
    const body = parseExactJson(answer.text) as { code?: string; status?: unknown };
    const faults = this.#invalid(media.schema, body).map((fault) => `body ${fault}`);
    if (media.examples === undefined) this.#seen.add(nameOf(operation, answer.status));
    else {
      const { code = '', status } = body;
      this.#seen.add(nameOf(operation, answer.status, code));
      if (!(code in media.examples)) faults.push(`code ${code} is not declared under ${answer.status}`);
      if (status !== answer.status) faults.push(`status in the body is ${String(status)}`);
    }
    return faults;
  }

  #headerFaults({ headers = {} }: DeclaredResponse, answer: RawResponse): string[] {
    const undeclared = [...answer.headers.keys()].filter((name) => !(name in headers) && !NOT_DECLARED.includes(name));
    const faults = undeclared.map((name) => `header ${name} is not declared`);
    for (const [name, { required, schema }] of Object.entries(headers)) {
      const value = answer.headers.get(name);
      if (value === null && required) faults.push(`header ${name} is missing`);
      if (value === null) continue;
      const read = this.#document.resolve(schema).type === 'integer' && /^\d+$/.test(value) ? Number(value) : value;
      faults.push(...this.#invalid(schema, read).map((fault) => `header ${name}: ${value} ${fault}`));
    }
    return faults;
  }

  #invalid(schema: Schema, value: unknown): string[] {
    let validate = this.#validators.get(schema);
    if (validate === undefined) this.#validators.set(schema, (validate = this.#ajv.compile(exact(schema) as object)));
    validate(value);
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? 'is wrong'}`);
  }
}

function nameOf({ operationId }: Operation, status: string | number, code = ''): string {
  return `${operationId} ${status} ${code}`.trimEnd();
}

function isExactInteger({ minimum, maximum }: Bounds, value: unknown): boolean {
  if (typeof value !== 'bigint' && !Number.isSafeInteger(value)) return false;
  const integer = value as number | bigint;
  return (minimum === undefined || integer >= minimum) && (maximum === undefined || integer <= maximum);
}

/** The same schema with `exactInteger` for every integer, and with references by the names that Ajv knows. */
function exact(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(exact);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { type, minimum, maximum, format, ...rest } = schema as Record<string, unknown>;
  if (type === 'integer') return { exactInteger: { minimum, maximum } };
  const kept = Object.entries({ ...rest, type, minimum, maximum, format }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    kept.map(([name, value]) => [name, name === '$ref' ? String(value).split('/').pop() : exact(value)]),
  );
}
