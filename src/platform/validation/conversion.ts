import { plainToInstance, TransformationType } from 'class-transformer';
import { metadataStorage } from './class-validator.js';
import { converterOf } from './property-rule.js';

/** Makes an instance of a class of the fields that a client sent. */
export type Conversion<T extends object> = (given: Readonly<Record<string, unknown>>) => T;

/**
 * Compiles what `plainToInstance` would do, which asks for the metadata of each property on each call. A field that holds
 * an object or a list, and a class with decorators of class-transformer's own, are left to it.
 *
 * Nothing is converted except where a decorator says so: implicit conversion makes the string "123" of a number
 * (class-transformer#257).
 */
export function compileConversion<T extends object>(dto: new () => T, names: ReadonlySet<string>): Conversion<T> {
  const transform: Conversion<T> = (given) => plainToInstance(dto, given, { enableImplicitConversion: false });
  if (![...names].every((name) => isOwn(dto, name)) || hasExposure(dto)) return transform;
  const converters = new Map([...names].map((name) => [name, converterOf(dto.prototype as object, name)]));
  return (given) => {
    const instance = new dto();
    for (const name of Object.keys(given)) {
      const value = given[name];
      if (typeof value === 'object' && value !== null) return transform(given);
      const convert = converters.get(name);
      (instance as Record<string, unknown>)[name] = convert === undefined ? value : convert(value);
    }
    return instance;
  };
}

/** Whether the platform's decorators alone convert a property. */
export function isOwn(dto: new () => object, name: string): boolean {
  const own = converterOf(dto.prototype as object, name) === undefined ? 0 : 1;
  const all = metadataStorage.findTransformMetadatas(dto, name, TransformationType.PLAIN_TO_CLASS);
  return all.length === own && metadataStorage.findTypeMetadata(dto, name) === undefined;
}

function hasExposure(dto: new () => object): boolean {
  const { length: exposed } = metadataStorage.getExposedMetadatas(dto);
  const { length: excluded } = metadataStorage.getExcludedMetadatas(dto);
  return exposed + excluded > 0 || metadataStorage.getStrategy(dto) !== 'none';
}
