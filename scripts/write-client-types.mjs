/**
 * Writes `src/client/api.ts`, the types of the client and the names of its int64 fields, from `openapi.json`. With
 * `--check` it writes nothing, and exits with 1 if the file differs.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTypes from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';

const place = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const FILE = place('src/client/api.ts');

const { info, openapi, paths, components } = JSON.parse(readFileSync(place('openapi.json'), 'utf8'));
const queries = Object.values(paths)
  .flatMap((operations) => Object.values(operations))
  .map((operation) => [`${capital(operation.operationId)}Query`, querySchema(operation)])
  .filter(([, { properties }]) => Object.keys(properties).length > 0);
const schemas = { ...components.schemas, ...Object.fromEntries(queries) };

const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
const nodes = await openapiTypes(
  { openapi, info, paths: {}, components: { schemas } },
  { defaultNonNullable: false, transform: ({ format: kind }) => (kind === 'int64' ? bigint : undefined) },
);
const memberOf = (members, wanted) => members.find(({ name }) => name?.text === wanted);
const declared = memberOf(nodes, 'components').members;
const printer = ts.createPrinter();
const types = memberOf(declared, 'schemas').type.members.map(({ name: { text: name }, type }) => {
  const printed = printer.printNode(
    ts.EmitHint.Unspecified,
    type,
    ts.createSourceFile('api.ts', '', ts.ScriptTarget.Latest),
  );
  const body = printed.replaceAll(/components\["schemas"\]\["(\w+)"\]/g, '$1');
  return ts.isTypeLiteralNode(type) ? `export interface ${name} ${body}` : `export type ${name} = ${body};`;
});
const fields = Object.values(schemas).flatMap(({ properties = {} }) => Object.entries(properties));
const int64 = [...new Set(fields.filter(([, schema]) => schema.format === 'int64').map(([name]) => name))].sort();
const isOtherNumber = ({ type, format: kind }) =>
  kind !== 'int64' && [type].flat().some((one) => /^(integer|number)$/.test(one));
const both = fields.filter(([name, schema]) => int64.includes(name) && isOtherNumber(schema)).map(([name]) => name);
// The client knows a field by its name only.
if (both.length > 0) throw new Error(`int64 in one schema and another number elsewhere: ${both.join(', ')}`);
const text = `// Written by npm run openapi, from openapi.json.

${types.join('\n\n')}

/** The fields that are int64 in every schema. */
export const INT64_FIELDS: ReadonlySet<string> = new Set(${JSON.stringify(int64)});
`;

const written = await format(text, { ...(await resolveConfig(FILE)), parser: 'typescript' });
if (!process.argv.includes('--check')) writeFileSync(FILE, written);
else if (readFileSync(FILE, 'utf8') !== written) {
  console.error('src/client/api.ts is not what openapi.json says: npm run openapi');
  process.exitCode = 1;
}

function querySchema({ parameters = [] }) {
  const own = parameters.filter((parameter) => parameter.in === 'query');
  return {
    type: 'object',
    properties: Object.fromEntries(own.map(({ name, description, schema }) => [name, { ...schema, description }])),
    required: own.filter(({ required }) => required).map(({ name }) => name),
  };
}

function capital(name) {
  return name[0].toUpperCase() + name.slice(1);
}
