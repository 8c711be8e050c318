import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Runs one of several scripts, by the name on the command line. Without a name it lists them with their meanings.
 *
 * @param command the name of the script in package.json, for `npm run`.
 * @param known by name: its meaning, its file, arguments that come before those of the command line, and whether it
 *   needs a build.
 */
export function runByName(command, known) {
  const [name = '', ...rest] = process.argv.slice(2);
  if (Object.hasOwn(known, name)) {
    const { needsBuild = false, script = `${command}-${name}.mjs`, args = [] } = known[name];
    process.exitCode = (needsBuild && run('build.mjs', ['--unless-built'])) || run(script, [...args, ...rest]);
    return;
  }
  const list = Object.entries(known).map(([each, { meaning }]) => `  ${each.padEnd(14)}${meaning}\n`);
  const complaint = name === '' ? '' : `There is no '${name}'.\n\n`;
  (name === '' ? process.stdout : process.stderr).write(
    `${complaint}npm run ${command} -- NAME runs one of these. CONTRIBUTING.md describes them:\n\n${list.join('')}`,
  );
  process.exitCode = name === '' ? 0 : 1;
}

function run(script, args) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return spawnSync(process.execPath, [path, ...args], { stdio: 'inherit' }).status ?? 1;
}
