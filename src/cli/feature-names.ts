import { InvalidArgumentError } from 'commander';
import { isKebabCase } from '../platform/feature.js';

/** What a feature and one of its things are called, in every spelling that code and SQL have for it. */
export interface FeatureNames {
  readonly feature: Spellings;
  readonly one: Spellings;
}

interface Spellings {
  /** `pet-toys` */
  readonly kebab: string;
  /** `pet_toys` */
  readonly snake: string;
  /** `petToys` */
  readonly camel: string;
  /** `PetToys` */
  readonly pascal: string;
}

/** What no variable may be called in a module (ECMAScript, Reserved Words), and what the code that is written calls other things. */
const TAKEN = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval export extends false
  finally for function if implements import in instanceof interface let new null package private protected public return
  static super switch this throw true try typeof undefined var void while with yield

  after application assert assert-error assert-platform-rules before before-each constructor define-error-code define-feature describe
  created features id it parse parse-id pets run-service start-test-application

  api-error body column controller entity get idempotent injectable module page paginated param post query raises repository
  slice stability test-application`
    .split(/\s+/)
    .map((word) => spell(word).camel),
);

/**
 * @param feature in lower kebab case, plural.
 * @param singular of one of them. Where it is left out it is made of the feature's name, by its ending or by `-item`.
 * @throws {InvalidArgumentError} with a plain sentence.
 */
export function featureNames(feature: string, singular?: string): FeatureNames {
  requireKebab(feature);
  const one = singular ?? singularOf(feature);
  requireKebab(one);
  if (feature === one) throw new InvalidArgumentError('A feature is named in the plural, such as pet-toys');
  const names = { feature: spell(feature), one: spell(one) };
  for (const [{ camel }, say] of [[names.feature, 'another NAME'] as const, [names.one, '--singular WORD'] as const]) {
    if (TAKEN.has(camel)) throw new InvalidArgumentError(`No variable can be called '${camel}'. Say ${say}`);
  }
  return names;
}

function requireKebab(name: string): void {
  if (!isKebabCase(name)) throw new InvalidArgumentError(`'${name}' is not lower kebab case, such as pet-toys`);
}

function singularOf(plural: string): string {
  const word = withoutEnding(plural);
  return word === undefined || TAKEN.has(spell(word).camel) ? `${word ?? plural}-item` : word;
}

function withoutEnding(plural: string): string | undefined {
  if (plural.endsWith('ies')) return `${plural.slice(0, -3)}y`;
  if (/(ss|x|ch|sh)es$/.test(plural)) return plural.slice(0, -2);
  return /[^su]s$/.test(plural) ? plural.slice(0, -1) : undefined;
}

function spell(kebab: string): Spellings {
  const camel = kebab.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return {
    kebab,
    snake: kebab.replaceAll('-', '_'),
    camel,
    pascal: camel.charAt(0).toUpperCase() + camel.slice(1),
  };
}
