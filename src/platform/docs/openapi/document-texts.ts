import type { OpenAPIObject } from '@nestjs/swagger';
import { stringify as stringifyYaml } from 'yaml';
import { stringifyJson } from '../../json/index.js';

/** An OpenAPI document as it is sent. */
export interface DocumentTexts {
  readonly json: string;
  readonly yaml: string;
}

/** Writes a document down when it is asked for, indented for people, every bigint as its digits. YAML costs the most. */
export function documentTexts(document: OpenAPIObject): DocumentTexts {
  return {
    get json() {
      return `${stringifyJson(document, 2)}\n`;
    },
    get yaml() {
      return stringifyYaml(document, { aliasDuplicateObjects: false });
    },
  };
}
