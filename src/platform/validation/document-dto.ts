import { documentedProperties, SWAGGER } from '../nest-internals.js';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { TransformationType } from 'class-transformer';
import { metadataStorage, getMetadataStorage, ValidationTypes } from './class-validator.js';
import { compileAcceptance, type Dto, type Rule } from './dto.js';
import { converterOf, defaultOf } from './property-decorators.js';
import { combine, schemaOfRule, type RuleSchema } from './rule-schema.js';

type Documented = Record<string, unknown>;

/** The JSON types that a value of the documented type can have. */
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
 * Documents for @nestjs/swagger what the decorators of class-validator accept, in a class and in the classes of its
 * properties: `@IsString() @MaxLength(10) name: string` needs no `@ApiProperty`. An explicit `@ApiProperty` takes
 * precedence.
 *
 * @param seen the classes that are documented already; no class is documented twice.
 * @param isJson false for parameters, which are text and never null.
 * @returns one clause for each property whose documentation contradicts its validators.
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

/** One clause for each documented property without a validator: a request that contains it is refused as unknown. */
export function undeclaredProperties(dto: Dto): string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  const known = new Set(rules.map(({ propertyName }) => propertyName));
  const documented = new Map(documentedProperties<{ readonly format?: unknown }>(dto));
  return (
    [...new Set([...documented.keys(), ...Object.keys(pluginOf(dto))])]
      // A file in a form: the validators of the other fields never see it.
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
  // For a list or an interface, the type that the compiler emits says less than the rules.
  if ('type' in derived && (given['type'] === Array || given['type'] === Object)) delete given['type'];
  const faults = contradictions(derived, given);
  // The plugin of @nestjs/swagger guesses from the source, so the rules take precedence over it.
  const all: ApiPropertyOptions = { ...pluginOf(dto)[name], ...derived, ...given };
  ApiProperty(all)(prototype, name);
  return faults.map((fault) => `${dto.name}.${name} ${fault}`);
}

function pluginOf(dto: Dto): Record<string, Documented> {
  const plugin = (dto as unknown as Record<string, (() => Record<string, Documented>) | undefined>)[SWAGGER.plugin];
  return plugin?.() ?? {};
}

/** Whether the validators require a property, whether they accept null, and its default. */
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

/** The initial value of a property, as of `status = 'open'`. */
function initialOf(dto: Dto, name: string): unknown {
  try {
    return Reflect.get(new dto(), name);
  } catch {
    return undefined;
  }
}

function schemaOf(dto: Dto, name: string, rules: readonly Rule[]): Documented {
  const transforms = metadataStorage.findTransformMetadatas(dto, name, TransformationType.PLAIN_TO_CLASS);
  // Validators see the transformed value, so they do not describe what the client sends.
  if (transforms.length > 0) return {};
  const whole = combine(rules.filter(({ each }) => !each).map(schemaOfRule));
  const ofEach = rules.filter(({ each }) => each);
  const type = classOf(dto, name, rules);
  if (whole.type !== 'array' && ofEach.length === 0) return { ...lengthOfText(rules, whole), ...(type && { type }) };
  if (type !== undefined) return { ...whole, type: [type] };
  const items = combine(ofEach.map(schemaOfRule));
  return { ...whole, type: 'array', items: lengthOfText(ofEach, items) };
}

/** `@IsNotEmpty()` together with `@IsString()` requires at least one character. */
function lengthOfText(rules: readonly Rule[], schema: RuleSchema): RuleSchema {
  const isText = schema.type === 'string' && rules.some(({ name }) => name === 'isNotEmpty');
  return isText && schema.minLength === undefined && schema.enum === undefined ? { ...schema, minLength: 1 } : schema;
}

/**
 * The class of a `@ValidateNested()` property, or of the items of its list; undefined if no decorator or type names it.
 */
function classOf(dto: Dto, name: string, rules: readonly Rule[]): Dto | undefined {
  if (!rules.some(({ type }) => type === ValidationTypes.NESTED_VALIDATION)) return undefined;
  const { typeFunction } = (metadataStorage.findTypeMetadata(dto, name) ?? {}) as { typeFunction?: () => Dto };
  if (typeFunction !== undefined) return typeFunction();
  const isList = rules.some(({ each }) => each);
  return isList ? undefined : (Reflect.getMetadata('design:type', dto.prototype as object, name) as Dto | undefined);
}

/**
 * The keywords on which the documentation and the validators differ. A field that is documented as required although
 * the validators accept its absence is no contradiction: it misleads no client.
 */
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

/**
 * The decorators of numbers, booleans and dates, by the names that class-validator stores. None of them accepts text.
 */
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

/** The properties of a class that refuse all text, and so could never be given as query parameters. */
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
  // The platform's body decorators convert numbers only; its query decorators convert text such as this one.
  return convert !== undefined && typeof convert('1') !== 'string';
}
