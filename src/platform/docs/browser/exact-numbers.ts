import { mapMarked, parseMarked, unmarkJson, indentJson } from './exact-integer.js';
import type { DocumentInPage, SwaggerUi, SwaggerUiPlugin } from './swagger-ui.js';

type Adapt = (document: DocumentInPage, system: SwaggerUi) => DocumentInPage;
type Samples = (schema: unknown, mediaType: unknown, config: unknown, example?: unknown) => unknown;

/**
 * A plugin for Swagger UI that shows integers beyond 2^53 with their true digits: in the document's examples, in its
 * schemas and in responses.
 *
 * @param adapt a last change to the document before it is shown.
 */
export function exactNumbers(adapt: Adapt): SwaggerUiPlugin {
  return {
    wrapComponents: { responseBody, JSONSchema202012JSONViewer: schemaValue },
    statePlugins: { spec: { wrapActions: { parseToJson: parseToJson(adapt) } } },
    afterLoad() {
      const original = this.fn.getSampleSchema as Samples;
      const exact: Samples = (schema, mediaType, config, example) => {
        const sample = example === undefined ? original(schema, mediaType, config) : JSON.stringify(example, null, 2);
        return typeof sample === 'string' ? unmarkJson(sample) : sample;
      };
      this.fn.getSampleSchema = exact;
    },
  };
}

/** Swagger UI takes the document for YAML and rounds it. */
const parseToJson = (adapt: Adapt) => (_original: unknown, system: SwaggerUi) => (text: string) => {
  try {
    const document = parseMarked(text) as DocumentInPage;
    system.specActions.updateJsonSpec(adapt(withPlainParameters(document), system));
  } catch (error) {
    system.errActions.newSpecErr({ source: 'parser', level: 'error', message: String(error) });
  }
};

/** The example of a parameter is put into an input field, where it is text anyway. */
function withPlainParameters(document: DocumentInPage): DocumentInPage {
  for (const operation of Object.values(document.paths ?? {}).flatMap((path) => Object.values(path))) {
    if (operation.parameters) operation.parameters = mapMarked(operation.parameters, String) as unknown[];
  }
  return document;
}

/** Swagger UI sends a response through JSON.parse to indent it, which rounds. This one shows what came. */
const responseBody =
  (Original: unknown, system: SwaggerUi) => (props: { readonly content: unknown; readonly contentType?: string }) => {
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
const schemaValue = (Original: unknown, system: SwaggerUi) => (props: { readonly value: unknown }) =>
  system.React.createElement(Original, { ...props, value: mapMarked(props.value, BigInt) });
