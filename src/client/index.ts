export {
  AnimalStoreClient,
  AnimalStoreError,
  type AnimalStoreClientOptions,
  type CreateOptions,
  type PetsPage,
  type RequestOptions,
} from './animal-store-client.js';
export type { ListPetsQuery, NewPet, Pet, PetStatus } from './api.js';
