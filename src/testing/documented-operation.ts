import { stringifyJson } from '../platform/json/index.js';
import type { TestClient } from './test-client.js';

/** The part of a schema that this file reads. */
export interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: unknown;
}

interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name?: string; readonly in?: string; readonly example?: unknown }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly description?: string; content?: Record<string, Media> }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

const JSON_TYPE = 'application/json';
/** The platform's description of a success that the feature does not describe. */
const UNDESCRIBED = 'The operation succeeded.';

/** One operation of the served OpenAPI document. */
export class DocumentedOperation {
  constructor(
    private readonly operation: Operation,
    private readonly document: Document,
  ) {}

  get statuses(): ReadonlySet<number> {
    return new Set(Object.keys(this.operation.responses).map(Number));
  }

  /** Whether the feature describes a successful response. */
  get isDescribed(): boolean {
    const successes = Object.entries(this.operation.responses).filter(([status]) => status.startsWith('2'));
    return successes.some(([, { description }]) => description !== undefined && description !== UNDESCRIBED);
  }

  get bodyExample(): Record<string, unknown> | undefined {
    const example = this.operation.requestBody?.content[JSON_TYPE]?.example;
    return typeof example === 'object' && example !== null ? (example as Record<string, unknown>) : undefined;
  }

  /** The value for a path parameter: its example, or `1`. */
  pathExample(name: string): string {
    const parameter = this.operation.parameters?.find((it) => it.in === 'path' && it.name === name);
    return encodeURIComponent(stringifyJson(parameter?.example ?? 1).replace(/^"|"$/g, ''));
  }

  schemaOf(status: number): Schema | undefined {
    return this.operation.responses[status]?.content?.[JSON_TYPE]?.schema;
  }

  /** The schema that a reference points to; any other schema unchanged. */
  resolve(schema: Schema): Schema {
    const name = schema.$ref?.split('/').at(-1);
    return name === undefined ? schema : (this.document.components?.schemas?.[name] ?? {});
  }
}

/** The operations of the served document, by operationId. */
export async function readOperations(client: TestClient): Promise<Map<string, DocumentedOperation>> {
  const document = (await client.get('/openapi.json')).json() as Document;
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  return new Map(operations.map((it) => [it.operationId, new DocumentedOperation(it, document)]));
}
