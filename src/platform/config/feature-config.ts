import type { CleanedEnv, ExactValidator, ValidatorSpec } from 'envalid';
import { boolean, integer, oneOf, parseUrl, readableFile, valueKind } from './value-kinds.js';

/** Variables by their names, each made by one of the kinds of `variable`. */
export type ConfigVariables = Readonly<Record<string, ValidatorSpec<unknown>>>;

/** The variables of a feature, and what their values are injected by. */
export interface FeatureConfig<S extends ConfigVariables = ConfigVariables> {
  readonly KEY: symbol;
  readonly variables: S;
}

/** The values of a feature's variables, by name, as `@Inject(ordersConfig.KEY)` gives them. */
export type ConfigValues<C extends FeatureConfig> = Readonly<CleanedEnv<C['variables']>>;

/** A feature, as far as its variables are concerned. */
export interface Configured {
  readonly name: string;
  readonly config?: FeatureConfig;
}

/**
 * Declares the variables of a feature, which names them in its `config`: they are read, checked and listed as those of
 * the platform are.
 *
 * @param variables each by its name, `ORDERS_MAX_ITEMS: variable.integer(1, 100)({ default: 10, desc: '…' })`. One without a
 *   default is required in production, and with `devDefault` in production only.
 */
export function defineConfig<S extends ConfigVariables>(variables: S): FeatureConfig<S> {
  return Object.freeze({ KEY: Symbol('animal-store:feature-config'), variables });
}

/** The kinds of values that a feature's variable can have. */
export const variable = {
  boolean,
  /** Within both bounds, which may be 0 at the least. */
  integer: (min: number, max: number): ExactValidator<number> => integer(min, max),
  /** One of a few words, exactly as written. */
  oneOf: <const Word extends string>(...words: readonly Word[]): ExactValidator<Word> => oneOf(...words),
  readableFile,
  text: valueKind('a text', (text) => text),
  secret: valueKind(
    'a text',
    (text) => text,
    () => '***',
  ),
  url: valueKind('an absolute http or https URL', (text) => parseUrl(text, ['http:', 'https:'])?.href),
};
