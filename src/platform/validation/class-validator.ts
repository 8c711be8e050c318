import { createRequire } from 'node:module';
import type { TransformationType } from 'class-transformer';

type ClassValidator = typeof import('class-validator');

/**
 * The parts of class-validator that the platform uses, each imported from its own file. The index of class-validator
 * also loads 300 modules for e-mail addresses, telephone numbers and the like at every start. A feature that uses its
 * decorators imports the index itself, and gets the same objects.
 */
const require = createRequire(import.meta.url);

export const { registerDecorator } = require('class-validator/cjs/register-decorator.js') as ClassValidator;
export const { ValidateIf } = require('class-validator/cjs/decorator/common/ValidateIf.js') as ClassValidator;
export const { getMetadataStorage } = require('class-validator/cjs/metadata/MetadataStorage.js') as ClassValidator;
export const { ValidationTypes } = require('class-validator/cjs/validation/ValidationTypes.js') as ClassValidator;
export const { Validator } = require('class-validator/cjs/validation/Validator.js') as ClassValidator;

/** The part of class-transformer's metadata storage that the platform reads. The package ships no types for it. */
interface Storage {
  findTypeMetadata(target: object, property: string): object | undefined;
  findTransformMetadatas(target: object, property: string, type: TransformationType): readonly object[];
}

/** The metadata of class-transformer's decorators, which its index does not export. */
export const { defaultMetadataStorage: metadataStorage } = require('class-transformer/cjs/storage.js') as {
  defaultMetadataStorage: Storage;
};
