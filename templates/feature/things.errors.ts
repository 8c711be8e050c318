import { defineErrorCode } from 'animal-store';

export const thingNotFound = defineErrorCode('thing_not_found', 'not_found', 'There is none with this id.');
