const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/**
 * Indents JSON text by two spaces a level. Numbers stay the characters that were sent: a number of JavaScript is exact
 * only up to 2^53, an id goes up to 2^63.
 *
 * @throws {SyntaxError} when the text is not JSON.
 */
export function indentJson(text: string): string {
  JSON.parse(text);
  let depth = 0;
  let indented = '';
  let previous = '';
  for (const token of text.match(TOKEN) ?? []) {
    const opened = previous === '{' || previous === '[';
    const closes = token === '}' || token === ']';
    if (closes) depth -= 1;
    if (closes ? !opened : opened || previous === ',') indented += `\n${'  '.repeat(depth)}`;
    else if (previous === ':') indented += ' ';
    if (token === '{' || token === '[') depth += 1;
    indented += token;
    previous = token;
  }
  return indented;
}
