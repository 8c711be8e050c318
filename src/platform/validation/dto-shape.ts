import { plainToInstance, TransformationType } from 'class-transformer';
import { compileAcceptance, type Acceptance } from './acceptance.js';
import { getMetadataStorage, metadataStorage, ValidationTypes } from './class-validator.js';
import { defaultOf, converterOf } from './property-rule.js';

/** A class that describes what a client sends. */
export type Dto<T extends object = object> = new () => T;

/** What the decorators of a class declare. */
export interface DtoShape<T extends object = object> {
  /** The properties in the order in which they are declared, those of a parent class first. */
  readonly names: ReadonlySet<string>;
  readonly defaults: readonly (readonly [name: string, value: unknown])[];
  /** The properties that hold one nested object. */
  readonly objects: ReadonlySet<string>;
  /** The properties that hold a list of nested objects. */
  readonly lists: ReadonlySet<string>;
  /** Makes an instance of the fields that a client sent. */
  readonly convert: (given: Readonly<Record<string, unknown>>) => T;
  readonly accepts: Acceptance;
}

/** The shape of a class without decorators. Only class-validator itself can judge its values. */
const NO_SHAPE: DtoShape = {
  names: new Set(),
  defaults: [],
  objects: new Set(),
  lists: new Set(),
  convert: (given) => given,
  accepts: () => false,
};

const shapes = new WeakMap<Dto, DtoShape>();

/**
 * The shape of a DTO class, read once from class-validator's metadata.
 *
 * @throws {TypeError} when the class declares nothing: a handler whose input nobody checks is a mistake.
 */
export function shapeOf<T extends object>(dto: Dto<T>): DtoShape<T> {
  const shape = findShape(dto);
  if (shape === NO_SHAPE)
    throw new TypeError(`Input is declared by a class with validation decorators, and ${dto.name} has none`);
  return shape as DtoShape<T>;
}

/** Whether a class declares anything, so that it can be what a handler takes. */
export function hasShape(dto: Dto): boolean {
  return findShape(dto) !== NO_SHAPE;
}

/** The shape of a value's class, with no names where it is not a DTO. */
export function shapeOfInstance({ constructor }: object): DtoShape {
  return typeof constructor === 'function' ? findShape(constructor as Dto) : NO_SHAPE;
}

function findShape(dto: Dto): DtoShape {
  let shape = shapes.get(dto);
  if (shape === undefined) shapes.set(dto, (shape = readShape(dto)));
  return shape;
}

function readShape(dto: Dto): DtoShape {
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  if (rules.length === 0) return NO_SHAPE;
  // class-validator gives the class's own first.
  const declared = rules.toSorted((a, b) => distance(a.target) - distance(b.target));
  const names = new Set(declared.map(({ propertyName }) => propertyName));
  const defaults = [...names].map((name) => [name, defaultOf(dto.prototype as object, name)] as const);
  const nested = declared.filter(({ type }) => type === ValidationTypes.NESTED_VALIDATION);
  return {
    names,
    defaults: defaults.filter(([, value]) => value !== undefined),
    objects: new Set(nested.filter(({ each }) => !each).map(({ propertyName }) => propertyName)),
    lists: new Set(nested.filter(({ each }) => each).map(({ propertyName }) => propertyName)),
    // Implicit conversion makes the string "123" of a number (class-transformer#257).
    convert: (given) => plainToInstance(dto, given, { enableImplicitConversion: false }),
    accepts: compileAcceptance(declared, (value) => shapeOfInstance(value).accepts(value)),
  };
}

/** Steps from a class up to the root of the prototypes. */
function distance(target: unknown): number {
  let steps = 0;
  for (let at: unknown = target; at !== null && at !== undefined; at = Object.getPrototypeOf(at)) steps++;
  return steps;
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
