import { defineErrorCode } from '../platform/errors/index.js';

export const petNotFound = defineErrorCode('pet_not_found', 'not_found', 'There is no pet with this id.');
