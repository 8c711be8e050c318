import type { OpenAPIObject } from '@nestjs/swagger';
import { Document, visit } from 'yaml';
import { stringifyJson } from '../../json/index.js';

/** An OpenAPI document as it is sent. */
export interface DocumentTexts {
  readonly json: string;
  readonly yaml: string;
}

/** Writes a document down when it is asked for, indented for people, every bigint as its digits. YAML costs the most. */
export function documentTexts(document: OpenAPIObject): DocumentTexts {
  return {
    get json() {
      return escapeBlanks(`${stringifyJson(document, 2)}\n`);
    },
    get yaml() {
      return writeYaml(document);
    },
  };
}

/** Blanks that nobody sees, among them line breaks of YAML 1.1; in both languages they stand in quotes. */
const BLANKS = /[\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/g;
/** What some reader of YAML 1.1 takes for a number (Ruby: `1,000`), a symbol (Ruby: `:id`) or a type of its own. */
const MISREAD = /^[\d.,:=+-]/;

const escapeBlanks = (text: string): string =>
  text.replace(BLANKS, (blank) => `\\u${blank.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** YAML that says the same by version 1.1, which the libraries of Python and Ruby read, as by 1.2. */
function writeYaml(value: object): string {
  const document = new Document(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  visit(document, {
    Scalar(_, scalar) {
      if (typeof scalar.value !== 'string') return;
      if (MISREAD.test(scalar.value) || scalar.value.search(BLANKS) >= 0) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return escapeBlanks(document.toString());
}

/** The description of the whole document, in Markdown. */
export const guide = `A store of animals over HTTP and JSON.

**Keys.** Every operation needs an API key, sent as \`Authorization: Bearer <API_KEY>\`.

**Pages.** A list answers a bare JSON array; its \`Link\` header holds the address of the next page, \`rel="next"\`, while
there is one.

**Repeat safely.** Operations that take an \`Idempotency-Key\` can be sent again after a failure without making anything
twice.

**Naming requests.** Any request may carry an \`X-Request-Id\` of 1 to 128 letters, digits, \`.\`, \`_\` and \`-\`: it comes
back in the answer and stands in the service's logs. A \`traceparent\` (W3C Trace Context) continues your trace.

**Integers.** Identifiers are int64 and exact on the wire. JavaScript's \`JSON.parse\` rounds those above 2^53: read them
with the source text that a reviver is given, or with a parser that keeps big integers.

**Failures.** Each has the same body: \`code\` for a program, \`message\` for a person, \`status\` as in the status line.
`;
