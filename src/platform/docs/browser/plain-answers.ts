import type { SwaggerUi, SwaggerUiPlugin } from './swagger-ui.js';

interface Answer {
  readonly headers: Record<string, string | string[]>;
}

/** What Swagger UI makes of a request; `err.response` is there when something answered. */
interface Outcome {
  readonly error?: boolean;
  readonly err?: { readonly name: string; readonly message: string; readonly response?: unknown };
}

type SetResponse = (path: string, method: string, outcome: Outcome) => unknown;

/** Headers as they came. Swagger UI takes each apart at `, `, which the date of a Sunset has too, and shows `,`. */
export function withWholeHeaders(answer: Answer): Answer {
  for (const [name, value] of Object.entries(answer.headers)) {
    if (Array.isArray(value)) answer.headers[name] = value.join(', ');
  }
  return answer;
}

/**
 * Says why nothing answered. Swagger UI suspects CORS, which has no part in a page that asks its own server.
 *
 * @param pageUrl where the page is.
 */
export function explainNoAnswer(pageUrl: string): SwaggerUiPlugin {
  const setResponse =
    (original: SetResponse, system: SwaggerUi): SetResponse =>
    (path, method, outcome) => {
      if (!outcome.error || outcome.err?.response !== undefined) return original(path, method, outcome);
      const message = reason(system.oas3Selectors.selectedServer(), pageUrl);
      return original(path, method, { error: true, err: { name: '', message } });
    };
  // What is refused before it is sent must not stand above the answer to what was sent before.
  const validateParams =
    (original: (operation: [path: string, method: string]) => unknown, system: SwaggerUi) =>
    (operation: [path: string, method: string]) => {
      system.specActions.clearResponse(...operation);
      return original(operation);
    };
  return { statePlugins: { spec: { wrapActions: { setResponse, validateParams } } } };
}

export function reason(server: string, pageUrl: string): string {
  const asked = new URL(server, pageUrl);
  if (asked.origin === new URL(pageUrl).origin) return `No answer from ${asked.href}: is the service running?`;
  return `This page asks no other server than its own. Choose the first one under **Servers**, or send the request with curl.`;
}
