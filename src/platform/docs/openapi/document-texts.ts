import type { OpenAPIObject } from '@nestjs/swagger';
import { stringify as stringifyYaml } from 'yaml';
import { stringifyJson } from '../../json/index.js';

/** An OpenAPI document as it is sent. */
export interface DocumentTexts {
  readonly json: string;
  readonly yaml: string;
}

/** Writes a document down, indented for people, every bigint as its digits. */
export function documentTexts(document: OpenAPIObject): DocumentTexts {
  return {
    json: `${stringifyJson(document, 2)}\n`,
    yaml: stringifyYaml(document, { aliasDuplicateObjects: false }),
  };
}
