/** What the documentation says about the whole product, above its features. */
export interface Product {
  readonly name: string;
  /** The version of the interface description, not of the package. */
  readonly version: string;
  readonly licence: { readonly name: string; readonly identifier: string };
}

export const animalStore: Product = {
  name: 'Animal Store',
  version: '1.0.0',
  licence: { name: 'MIT', identifier: 'MIT' },
};
