import { documentedProperties, SWAGGER } from '../nest-internals.js';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { TransformationType } from 'class-transformer';
import { metadataStorage, getMetadataStorage, ValidationTypes } from './class-validator.js';
import { compileAcceptance, type Dto, type Rule } from './dto.js';
import { converterOf, defaultOf } from './property-decorators.js';
import { combine, schemaOfRule, type RuleSchema } from './rule-schema.js';

type Documented = Record<string, unknown>;

/** What the types of JSON are that a value of a class comes as. */
const JSON_TYPES = new Map<unknown, readonly string[]>([
  [String, ['string']],
  [Date, ['string']],
  [Number, ['number', 'integer']],
  [BigInt, ['integer']],
  [Boolean, ['boolean']],
  [Array, ['array']],
  ['number', ['number', 'integer']],
]);

/**
 * Describes to @nestjs/swagger what the decorators of class-validator accept, for a class and for those that its
 * properties hold: `@IsString() @MaxLength(10) name: string` needs no `@ApiProperty`. What `@ApiProperty` says stays.
 *
 * @param seen the classes that were described before; no class is described twice.
 * @param isJson false for parameters, which are text and never null.
 * @returns one clause for each property of which the document says something else than its validators.
 */
export function documentDto(dto: Dto | undefined, seen: Set<unknown>, isJson = true): string[] {
  if (dto === undefined || seen.has(dto)) return [];
  seen.add(dto);
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  const byProperty = Map.groupBy(rules, ({ propertyName }) => propertyName);
  return [...byProperty].flatMap(([name, own]) => [
    ...documentProperty(dto, name, own, isJson),
    ...documentDto(classOf(dto, name, own), seen),
  ]);
}

/** One clause for each documented property of what clients send that is refused as one that nobody knows. */
export function undeclaredProperties(dto: Dto): string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  const known = new Set(rules.map(({ propertyName }) => propertyName));
  const documented = new Map(documentedProperties<{ readonly format?: unknown }>(dto));
  return (
    [...new Set([...documented.keys(), ...Object.keys(pluginOf(dto))])]
      // A part of a form is a file, which no validator of the other fields sees.
      .filter((name) => !known.has(name) && documented.get(name)?.format !== 'binary')
      .map(
        (name) => `${dto.name}.${name} is documented and has no validator, so that it is refused; add one, or @Allow()`,
      )
  );
}

function documentProperty(dto: Dto, name: string, rules: readonly Rule[], isJson: boolean): string[] {
  const prototype = dto.prototype as object;
  const derived: Documented = { ...requirementOf(dto, name, rules), ...schemaOf(dto, name, rules) };
  if (!isJson) delete derived['nullable'];
  const given = { ...(Reflect.getMetadata(SWAGGER.property, prototype, name) as Documented | undefined) };
  // What the compiler leaves of a list or an interface says less than the rules.
  if ('type' in derived && (given['type'] === Array || given['type'] === Object)) delete given['type'];
  const faults = contradictions(derived, given);
  // What the plugin reads of the source is a guess beside the rules themselves.
  const all: ApiPropertyOptions = { ...pluginOf(dto)[name], ...derived, ...given };
  ApiProperty(all)(prototype, name);
  return faults.map((fault) => `${dto.name}.${name} ${fault}`);
}

function pluginOf(dto: Dto): Record<string, Documented> {
  const plugin = (dto as unknown as Record<string, (() => Record<string, Documented>) | undefined>)[SWAGGER.plugin];
  return plugin?.() ?? {};
}

/** Whether a property must be there, may be null, and what it is where it is not there: as the validators find it. */
function requirementOf(dto: Dto, name: string, rules: readonly Rule[]): Documented {
  const initial = defaultOf(dto.prototype as object, name) ?? initialOf(dto, name);
  const accepts = compileAcceptance(rules, () => true);
  const isAccepted = (value: unknown): boolean => {
    try {
      return accepts({ [name]: value });
    } catch {
      return false;
    }
  };
  const isJson = ['string', 'number', 'boolean'].includes(typeof initial);
  return {
    required: !isAccepted(initial),
    ...(isAccepted(null) && { nullable: true }),
    ...(isJson && { default: initial }),
  };
}

/** What `status = 'open'` in a class gives a property. */
function initialOf(dto: Dto, name: string): unknown {
  try {
    return Reflect.get(new dto(), name);
  } catch {
    return undefined;
  }
}

function schemaOf(dto: Dto, name: string, rules: readonly Rule[]): Documented {
  const transforms = metadataStorage.findTransformMetadatas(dto, name, TransformationType.PLAIN_TO_CLASS);
  // Validators see the value after the transformation, so they say nothing about the one before it.
  if (transforms.length > 0) return {};
  const whole = combine(rules.filter(({ each }) => !each).map(schemaOfRule));
  const ofEach = rules.filter(({ each }) => each);
  const type = classOf(dto, name, rules);
  if (whole.type !== 'array' && ofEach.length === 0) return { ...lengthOfText(rules, whole), ...(type && { type }) };
  if (type !== undefined) return { ...whole, type: [type] };
  const items = combine(ofEach.map(schemaOfRule));
  return { ...whole, type: 'array', items: lengthOfText(ofEach, items) };
}

/** `@IsNotEmpty()` beside `@IsString()` means a character. */
function lengthOfText(rules: readonly Rule[], schema: RuleSchema): RuleSchema {
  const isText = schema.type === 'string' && rules.some(({ name }) => name === 'isNotEmpty');
  return isText && schema.minLength === undefined && schema.enum === undefined ? { ...schema, minLength: 1 } : schema;
}

/** The class of a `@ValidateNested()` property, or of the items of its list; undefined where nothing says so. */
function classOf(dto: Dto, name: string, rules: readonly Rule[]): Dto | undefined {
  if (!rules.some(({ type }) => type === ValidationTypes.NESTED_VALIDATION)) return undefined;
  const { typeFunction } = (metadataStorage.findTypeMetadata(dto, name) ?? {}) as { typeFunction?: () => Dto };
  if (typeFunction !== undefined) return typeFunction();
  const isList = rules.some(({ each }) => each);
  return isList ? undefined : (Reflect.getMetadata('design:type', dto.prototype as object, name) as Dto | undefined);
}

/** A document that asks for more than the validators, a field that may be left out for example, misleads no client. */
function contradictions(derived: Documented, given: Documented): string[] {
  return Object.entries(derived).flatMap(([keyword, value]) => {
    const documented = given[keyword];
    if (documented === undefined || keyword === 'nullable' || keyword === 'items') return [];
    if (keyword === 'required' && documented === true) return [];
    if (keyword === 'type' ? isType(value, given) : JSON.stringify(value) === JSON.stringify(documented)) return [];
    return [`is documented with ${keyword} ${show(documented)}, and its validators say ${show(value)}`];
  });
}

function isType(derived: unknown, { type, isArray, enum: values }: Documented): boolean {
  if (typeof derived !== 'string' || values !== undefined) return true;
  const allowed =
    isArray === true ? ['array'] : (JSON_TYPES.get(type) ?? (typeof type === 'string' ? [type] : undefined));
  return allowed === undefined || allowed.includes(derived);
}

function show(value: unknown): string {
  return typeof value === 'function' ? value.name : JSON.stringify(value);
}

/** The decorators of numbers, booleans and dates, by the names that class-validator keeps: no text passes any of them. */
const NEVER_TEXT: ReadonlySet<string | undefined> = new Set([
  'integer',
  'int64',
  'isInt',
  'isNumber',
  'isPositive',
  'isNegative',
  'isDivisibleBy',
  'min',
  'max',
  'isBoolean',
  'isDate',
]);

/** The properties of a class that refuse every text, so that as parameters of a query they could not be given at all. */
export function neverText(dto: Dto): string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  const names = rules.filter(({ name }) => NEVER_TEXT.has(name)).map(({ propertyName }) => propertyName);
  return [...new Set(names)].filter((name) => !isConverted(dto, name));
}

/** Whether a decorator converts the text that a client sends for a property. */
function isConverted(dto: Dto, name: string): boolean {
  const convert = converterOf(dto.prototype as object, name);
  const transforms = metadataStorage.findTransformMetadatas(dto, name, TransformationType.PLAIN_TO_CLASS);
  const isTyped = metadataStorage.findTypeMetadata(dto, name) !== undefined;
  if (isTyped || transforms.length > (convert === undefined ? 0 : 1)) return true;
  // The platform's decorators convert a number for a body; those for a query convert this text of one.
  return convert !== undefined && typeof convert('1') !== 'string';
}
