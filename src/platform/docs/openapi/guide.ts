/** The description of the whole document, in Markdown. */
export const guide = `A store of animals over HTTP and JSON.

**Authorize.** Every operation needs an API key: \`Authorization: Bearer <API_KEY>\`. Whoever runs the service makes one
with \`node dist/cli.js keys create --name you\`.

**Page.** A list answers a bare JSON array. While there are more items, its \`Link\` header holds the address of the next
page, \`rel="next"\`; follow it as it stands.

**Repeat safely.** Operations that take an \`Idempotency-Key\` can be sent again after a failure without making anything
twice.

**Integers.** Identifiers are int64 and exact on the wire. JavaScript's \`JSON.parse\` rounds those above 2^53: read them
with the source text that a reviver is given, or with a parser that keeps big integers.

**Failures.** Each has the same body: \`code\` for a program, \`message\` for a person, \`status\` as in the status line.
`;
