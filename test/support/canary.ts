import { randomBytes } from 'node:crypto';

/** Something secret that a test plants, to look for it where it must not be. */
export class Canary {
  readonly text: string;
  readonly #parts: readonly string[];

  /**
   * @param parts what of it is secret, each looked for on its own; the whole unless given.
   */
  constructor(
    readonly purpose: string,
    text = `${purpose}-${randomBytes(8).toString('hex')}`,
    parts: readonly string[] = [text],
  ) {
    this.text = text;
    this.#parts = parts;
  }

  /** An API key, of which the environment and the public id are no secret, but the first 8 characters of the rest are. */
  static ofKey(purpose: string, key: string): Canary {
    const secret = key.split('_')[3] ?? '';
    return new Canary(purpose, key, [secret.slice(0, 8), secret.slice(-8), key]);
  }

  /** In which forms it stands in `text`: as it is, percent-encoded, or in base64 at any offset. */
  formsIn(text: string): string[] {
    return this.#parts
      .flatMap((part) => [part, encodeURIComponent(part), ...base64FormsOf(part)])
      .filter((form, at, all) => all.indexOf(form) === at && text.includes(form))
      .map((form) => `${this.purpose}: ${form}`);
  }
}

/** The characters of base64 that depend on `part` alone, for each of the three places that it can begin at. */
function base64FormsOf(part: string): string[] {
  if (part.length < 8) return [];
  return [0, 1, 2].map((before) => {
    const whole = Buffer.from(`${' '.repeat(before)}${part}`)
      .toString('base64')
      .replace(/=+$/, '');
    return whole.slice(before === 0 ? 0 : before + 1, -2);
  });
}
