import type { CleanedEnv, ExactValidator, ValidatorSpec } from 'envalid';
import { boolean, integer, oneOf, parseUrl, readableFile, valueKind } from './value-kinds.js';

/** Variables by name. Each is declared with one of the kinds of `variable`. */
export type ConfigVariables = Readonly<Record<string, ValidatorSpec<unknown>>>;

/** The variables of a feature, and the injection token of their values. */
export interface FeatureConfig<S extends ConfigVariables = ConfigVariables> {
  readonly KEY: symbol;
  readonly variables: S;
}

/** The values of a feature's variables, by name, as `@Inject(ordersConfig.KEY)` gives them. */
export type ConfigValues<C extends FeatureConfig> = Readonly<CleanedEnv<C['variables']>>;

/** The parts of a feature that concern its variables. */
export interface Configured {
  readonly name: string;
  readonly config?: FeatureConfig;
}

/**
 * Declares the variables of a feature. Set the result as the `config` of the feature. The service then reads, checks
 * and documents them like those of the platform.
 *
 * @param variables each by its name, `ORDERS_MAX_ITEMS: variable.integer(1, 100)({ default: 10, desc: '…' })`. A
 *   variable without `default` is required in production. One without `default` and `devDefault` is required
 *   everywhere.
 */
export function defineConfig<S extends ConfigVariables>(variables: S): FeatureConfig<S> {
  return Object.freeze({ KEY: Symbol('animal-store:feature-config'), variables });
}

/** The kinds of values that a feature's variable can have. */
export const variable = {
  boolean,
  /** A whole number from `min` to `max`, both included. Negative numbers are not accepted. */
  integer: (min: number, max: number): ExactValidator<number> => integer(min, max),
  /** One of the given words, exactly as written. */
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
