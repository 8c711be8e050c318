import { loadConfig, loadEnvironment, type Config } from '../platform/config/index.js';

/**
 * The configuration of a command, which logs to standard error. What looks misspelt is told there too: a command that
 * works elsewhere than was meant would not say so itself.
 *
 * @throws {ConfigError} with every fault.
 */
export function readConfig(): Config {
  const config = loadConfig(loadEnvironment(), process.stderr.isTTY);
  for (const warning of config.warnings) process.stderr.write(`warning: ${warning}\n`);
  return config;
}
