export { bytesOf, jsonBytes, textOf, type Bytes } from './json-bytes.js';
export { parseJson } from './parse-json.js';
export { stringifyJson } from './stringify-json.js';
