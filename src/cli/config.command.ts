import { Command } from 'commander';
import {
  describeConfig,
  documentedSections,
  loadConfig,
  loadEnvironment,
  renderExample,
  renderMarkdown,
  type Config,
  type DocumentedSection,
  type Setting,
} from '../platform/config/index.js';
import { startedFeatures } from '../platform/feature-check/index.js';
import type { Feature } from '../platform/feature.js';

/** Variables of this service's features that the platform does not declare. */
const featureSections: readonly DocumentedSection[] = [
  {
    title: 'Pets',
    variables: [
      {
        name: 'GET_PET_SUNSET',
        default: '2030-12-05',
        accepts: 'a date, YYYY-MM-DD',
        meaning: 'First day (UTC) on which GET /v1/pets/{petId} is gone; any deprecated operation has such a variable',
      },
    ],
  },
];

interface ConfigOptions {
  readonly example?: true;
  readonly markdown?: true;
}

/**
 * `config`: checks the configuration and prints it with secrets masked, or prints the documentation of all variables.
 */
export function configCommand(features: readonly Feature[]): Command {
  const command = new Command('config')
    .description('check the configuration and print it, secrets masked; exits 78 when it is faulty')
    .option('--example', 'print .env.example instead')
    .option('--markdown', 'print the table of all variables instead');
  return command.action((options: ConfigOptions) => {
    const output = command.configureOutput();
    const documented = [...documentedSections(features), ...featureSections];
    if (options.example) return output.writeOut?.(renderExample(documented));
    if (options.markdown) return output.writeOut?.(renderMarkdown(documented));

    const environment = loadEnvironment();
    const fromDotEnv = new Set(Object.keys(environment).filter((name) => process.env[name] === undefined));
    const config = loadConfig(environment, undefined, features);
    for (const warning of config.warnings) output.writeErr?.(`warning: ${warning}\n`);
    // Checks FEATURES_OFF, which needs the list of features.
    startedFeatures(features, config);
    output.writeOut?.(describeConfig({ settings: [...config.settings, ...featureDefaults(config)] }, fromDotEnv));
  });
}

/** The defaults of `featureSections` for variables that the environment does not set. */
function featureDefaults({ settings }: Config): Setting[] {
  const set = new Set(settings.map(({ name }) => name));
  return featureSections
    .flatMap(({ variables }) => variables)
    .filter(({ name }) => !set.has(name))
    .map(({ name, default: value }) => ({ name, value, source: 'default' }));
}
