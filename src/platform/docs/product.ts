import type { INestApplication } from '@nestjs/common';
import { CONFIG, type Config } from '../config/index.js';

/** What the documentation says about the whole product, above its features. */
export interface Product {
  readonly name: string;
  /** The version of the interface description, not of the package. */
  readonly version: string;
  /** Whom users of the API ask: a URL, also of the scheme `mailto`. */
  readonly contact?: string | undefined;
  readonly licence: { readonly name: string; readonly identifier: string };
}

export const animalStore: Product = {
  name: 'Animal Store',
  version: '1.0.0',
  licence: { name: 'MIT', identifier: 'MIT' },
};

/** The product, with the contact of whoever runs it. */
export function productOf(application: INestApplication): Product {
  return { ...animalStore, contact: application.get<Config>(CONFIG).docs.contact };
}
