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
