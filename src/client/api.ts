// Written by npm run openapi, from openapi.json.

export type PetStatus = 'available' | 'pending' | 'sold';

export interface Pet {
  /**
   * Format: int64
   * @description Unique identifier, assigned by the service on creation.
   * @example 1
   */
  id: bigint;
  /**
   * @description The animal's name.
   * @example Rex
   */
  name: string;
  /**
   * Format: int64
   * @description Identifier of the category the animal belongs to.
   * @example 7
   */
  categoryId: bigint;
  /**
   * @description Availability of the animal.
   * @example available
   */
  status?: PetStatus;
}

export interface NewPet {
  /**
   * @description The animal's name.
   * @example Rex
   */
  name: string;
  /**
   * Format: int64
   * @description Identifier of the category the animal belongs to.
   * @example 7
   */
  categoryId: bigint;
  /**
   * @description Availability of the animal.
   * @example available
   */
  status?: PetStatus;
}

export type Pets = Pet[];

export interface Error {
  /**
   * @description Machine-readable error code. Its meaning never changes; new ones may be added.
   * @example invalid_field
   */
  code: string;
  /**
   * @description Human-readable description of the error. Its wording may change.
   * @example A field has an invalid value.
   */
  message: string;
  /**
   * @description The HTTP status code.
   * @example 400
   */
  status: number;
}

export interface ListPetsQuery {
  /**
   * @description How many items a page has at most.
   * @default 20
   */
  limit?: number;
  /** @description Where the page begins: the cursor of the `next` Link of the page before, under the same filters. */
  cursor?: string;
  /** @description Restricts the list to animals with this status. */
  status?: PetStatus;
}

/** The fields that are int64 in every schema. */
export const INT64_FIELDS: ReadonlySet<string> = new Set(['categoryId', 'id']);
