import type { DocumentedOperation, Schema } from './documented-operation.js';

/** The fields of an answer, as paths from its top, that its schema does not declare. */
export function undeclaredFields(value: unknown, schema: Schema, operation: DocumentedOperation, at = ''): string[] {
  const { properties, items, additionalProperties } = operation.resolve(schema);
  if (Array.isArray(value)) {
    return items === undefined ? [] : value.flatMap((item) => undeclaredFields(item, items, operation, `${at}[]`));
  }
  if (typeof value !== 'object' || value === null || additionalProperties !== undefined) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const path = at === '' ? name : `${at}.${name}`;
    const declared = properties?.[name];
    return declared === undefined ? [path] : undeclaredFields(field, declared, operation, path);
  });
}
