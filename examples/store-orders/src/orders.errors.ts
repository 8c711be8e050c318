import { defineErrorCode } from 'animal-store';

export const orderedPetMissing = defineErrorCode('ordered_pet_missing', 'unprocessable', 'There is no such pet.');
export const orderedPetSold = defineErrorCode('ordered_pet_sold', 'conflict', 'This pet is sold.');
