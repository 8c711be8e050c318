/**
 * Control characters, those without a shape of their own, and those that change the direction of what follows: a terminal
 * acts on them, or shows nothing, or another name than there is. JSON lets most of them stand.
 */
const UNSEEN = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]--\n]/gv;

/** Writes them as `\uXXXX`, which in JSON is the same text. Line feeds stay. */
export function escapeUnseen(text: string): string {
  return text.replace(UNSEEN, (character) =>
    Array.from({ length: character.length }, (_, index) => escapeOf(character.charCodeAt(index))).join(''),
  );
}

function escapeOf(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
