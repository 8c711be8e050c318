import { parseExactJson } from './http.js';

/** The part of JSON Schema that the document uses. Integers beyond 2^53 are `bigint`. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'header' | 'path';
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, unknown>>;
}

export interface DeclaredHeader {
  readonly required?: boolean;
  readonly schema: Schema;
}

export interface DeclaredResponse {
  readonly headers?: Readonly<Record<string, DeclaredHeader>>;
  readonly content?: Readonly<Record<string, Media>>;
}

export interface Operation {
  readonly operationId: string;
  readonly method: string;
  /** As in the document, below the base path: `/pets/{petId}`. */
  readonly path: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly body: Media | undefined;
  readonly responses: Readonly<Record<string, DeclaredResponse>>;
}

type Json = Readonly<Record<string, unknown>>;

/** An OpenAPI document in which the references of operations, parameters, responses and headers are resolved. */
export class ApiDocument {
  readonly #json: Json;
  readonly operations: readonly Operation[];

  /** @param text the document as JSON. */
  constructor(text: string) {
    this.#json = parseExactJson(text) as Json;
    const paths = Object.entries(this.#json['paths'] as Record<string, Record<string, Json>>);
    this.operations = paths.flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => this.#read(method, path, operation)),
    );
  }

  get schemas(): Readonly<Record<string, Schema>> {
    return (this.#json['components'] as { schemas: Record<string, Schema> }).schemas;
  }

  /** The target of a reference `#/…`; `thing` itself if it is no reference. */
  resolve<T extends object>(thing: T): T {
    const { $ref } = thing as { $ref?: string };
    if ($ref === undefined) return thing;
    let target: unknown = this.#json;
    for (const step of $ref.slice(2).split('/')) target = (target as Json)[step];
    return this.resolve(target as T);
  }

  #read(method: string, path: string, operation: Json): Operation {
    const parameters = operation['parameters'] as readonly Parameter[];
    const requestBody = operation['requestBody'] as { content: Record<string, Media> } | undefined;
    const responses = Object.entries(operation['responses'] as Record<string, DeclaredResponse>);
    return {
      operationId: operation['operationId'] as string,
      method: method.toUpperCase(),
      path,
      description: operation['description'] as string,
      parameters: parameters.map((parameter) => this.resolve(parameter)),
      body: requestBody?.content['application/json'],
      responses: Object.fromEntries(responses.map(([status, response]) => [status, this.#readResponse(response)])),
    };
  }

  #readResponse({ headers = {}, ...response }: DeclaredResponse): DeclaredResponse {
    const resolved = Object.entries(headers).map(
      ([name, header]) => [name.toLowerCase(), this.resolve(header)] as const,
    );
    return { ...response, headers: Object.fromEntries(resolved) };
  }
}
