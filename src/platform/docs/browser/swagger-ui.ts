/** The parts of Swagger UI that this page uses; the package ships no types. */
export interface SwaggerUi {
  preauthorizeApiKey(scheme: string, key: string): void;
  readonly React: {
    readonly createElement: (component: unknown, props: unknown, ...children: unknown[]) => unknown;
    readonly useState: <T>(initial: T) => [value: T, set: (value: T) => void];
  };
  readonly specActions: { clearResponse(path: string, method: string): void };
  readonly specSelectors: { selectInfoDescriptionField(): string | undefined };
  readonly oas3Selectors: { selectedServer(): string };
  getComponent(name: string, container?: boolean): unknown;
}

/** Wraps a component or an action of Swagger UI. */
type Wrap = (original: never, system: SwaggerUi) => unknown;

export interface SwaggerUiPlugin {
  readonly fn?: Readonly<Record<string, unknown>>;
  readonly wrapComponents?: Readonly<Record<string, Wrap>>;
  readonly statePlugins?: Readonly<Record<string, { readonly wrapActions: Readonly<Record<string, Wrap>> }>>;
  afterLoad?(this: { fn: Record<string, unknown> }, system: SwaggerUi): void;
}

/** The parts of an OpenAPI document that this page reads. */
export interface DocumentInPage {
  servers?: { url: string; description?: string }[];
  paths?: Record<string, Record<string, OperationInPage>>;
}

interface OperationInPage {
  operationId?: string;
  tags?: string[];
  parameters?: unknown[];
}
