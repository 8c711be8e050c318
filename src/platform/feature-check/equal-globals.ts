import type { DynamicModule } from '@nestjs/common';

/**
 * Replaces equal global modules in a list of imports by one: Nest would make each of them, and with
 * `ScheduleModule.forRoot()` in two features run every job twice. A list that is frozen stays as it is.
 *
 * @param globals those of all lists so far; those of this one are added.
 */
export function shareGlobals(imports: unknown, globals: DynamicModule[]): void {
  if (!Array.isArray(imports)) return;
  imports.forEach((imported: DynamicModule | undefined, index) => {
    if (imported?.global !== true) return;
    const same = globals.find((other) => areEqual(other, imported));
    if (same === undefined) globals.push(imported);
    else Reflect.set(imports, index, same);
  });
}

/**
 * Whether two values are equal: lists and plain objects by their members, everything else by identity, since private fields
 * of instances cannot be compared.
 *
 * @param within the objects that hold `left`. An object that holds itself is equal to itself only.
 */
function areEqual(left: unknown, right: unknown, within: readonly unknown[] = []): boolean {
  if (Object.is(left, right)) return true;
  if (!isPlain(left) || !isPlain(right) || Array.isArray(left) !== Array.isArray(right)) return false;
  const names = Reflect.ownKeys(left);
  return (
    !within.includes(left) &&
    names.length === Reflect.ownKeys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && areEqual(left[name], right[name], [...within, left]))
  );
}

function isPlain(value: unknown): value is Record<PropertyKey, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  return [Object.prototype, Array.prototype, null].includes(Object.getPrototypeOf(value) as object | null);
}
