import { createRequire } from 'node:module';
import type { TransformationType } from 'class-transformer';

/** The part of class-transformer's metadata that is asked here. It has no types of its own. */
interface Storage {
  getStrategy(target: object): 'excludeAll' | 'exposeAll' | 'none';
  getExposedMetadatas(target: object): readonly object[];
  getExcludedMetadatas(target: object): readonly object[];
  findTypeMetadata(target: object, property: string): object | undefined;
  findTransformMetadatas(target: object, property: string, type: TransformationType): readonly object[];
}

const require = createRequire(import.meta.url);

/** What decorators told class-transformer. No front door leads to it. */
export const { defaultMetadataStorage: metadataStorage } = require('class-transformer/cjs/storage.js') as {
  defaultMetadataStorage: Storage;
};
