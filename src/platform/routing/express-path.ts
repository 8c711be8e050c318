/** A route's path as Express has it: `/v1/pets/{petId}` → `/v1/pets/:petId` */
export function expressPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}
