import { ruledParameter, ruledProperty, type PropertyOptions, type PropertyRule } from './property-rule.js';

export interface EnumOptions<T extends string> extends PropertyOptions<T> {
  /** An enum, an object or a list of the values that are allowed, exact and case-sensitive. */
  readonly enum: Readonly<Record<string, T>> | readonly T[];
  /** The name of the schema in the document: one for body, query and response. */
  readonly enumName: string;
  /** What the schema of that name says of itself; else it repeats what the first property says. */
  readonly enumDescription?: string;
}

/** One of a closed set of strings. */
export const EnumProperty = <T extends string>(options: EnumOptions<T>): PropertyDecorator =>
  ruledProperty(enumRule(options), options);

/** A query parameter as `EnumProperty`. */
export const EnumParameter = <T extends string>(options: EnumOptions<T>): PropertyDecorator =>
  ruledParameter(enumRule(options), options);

function enumRule<T extends string>(options: EnumOptions<T>): PropertyRule {
  const values = Object.values<T>(options.enum);
  const allowed = new Set<unknown>(values);
  const problem = `must be one of ${values.join(', ')}`;
  return {
    name: 'enum',
    problem: (value) => (allowed.has(value) ? undefined : problem),
    schema: {
      enum: values,
      enumName: options.enumName,
      ...(options.enumDescription !== undefined && { enumSchema: { description: options.enumDescription } }),
    },
  };
}
