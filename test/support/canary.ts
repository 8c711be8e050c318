import { randomBytes } from 'node:crypto';

/** A secret that a test plants, so that it can search for it where it must not appear. */
export class Canary {
  readonly text: string;
  readonly #parts: readonly string[];

  /** @param parts the secret parts of the text; each is searched for separately. Default: the whole text. */
  constructor(
    readonly purpose: string,
    text = `${purpose}-${randomBytes(8).toString('hex')}`,
    parts: readonly string[] = [text],
  ) {
    this.text = text;
    this.#parts = parts;
  }

  /** An API key. Its environment and its public id are not secret. Even the first 8 characters of its secret are. */
  static ofKey(purpose: string, key: string): Canary {
    const secret = key.split('_')[3] ?? '';
    return new Canary(purpose, key, [secret.slice(0, 8), secret.slice(-8), key]);
  }

  /** The forms in which the secret appears in `text`: plain, percent-encoded, or base64 at any offset. */
  formsIn(text: string): string[] {
    return this.#parts
      .flatMap((part) => [part, encodeURIComponent(part), ...base64FormsOf(part)])
      .filter((form, at, all) => all.indexOf(form) === at && text.includes(form))
      .map((form) => `${this.purpose}: ${form}`);
  }
}

/** The characters of base64 that depend on `part` alone, for each of the three offsets at which it can begin. */
function base64FormsOf(part: string): string[] {
  if (part.length < 8) return [];
  return [0, 1, 2].map((before) => {
    const whole = Buffer.from(`${' '.repeat(before)}${part}`)
      .toString('base64')
      .replace(/=+$/, '');
    return whole.slice(before === 0 ? 0 : before + 1, -2);
  });
}
