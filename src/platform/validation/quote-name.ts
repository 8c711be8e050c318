const MAX_LENGTH = 64;

/** Not printed or printed as something else: controls, formats (they turn the direction), surrogates, unassigned. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** A name that a client chose, in JSON quotes, cut and with what does not show escaped, so that a message can carry it. */
export function quoteName(name: string): string {
  const cut = name.length > MAX_LENGTH ? `${name.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, '')}…` : name;
  return JSON.stringify(cut).replace(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
