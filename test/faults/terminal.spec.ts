import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { builtProgram, emptyFolder, programEnvironment } from '../support/command.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { HttpClient } from '../support/http.js';
import { findProgram } from '../support/programs.js';
import { freePort } from '../support/ports.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { Service } from '../support/service.js';
import { spawnTethered } from '../support/tethered.js';

const script = findProgram('script');

/** The output on a terminal, which `script` of util-linux provides. */
(script === undefined ? describe.skip : describe)('on a terminal', () => {
  const folder = scratchFolder('terminal');
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createSqliteDatabase();
  });

  afterAll(async () => {
    await database.drop();
    removeScratch(folder);
  });

  /** Runs a shell command on the terminal. Returns the lines that are shown. */
  async function shown(command: string): Promise<string[]> {
    const child = spawnTethered(script!, ['--quiet', '--return', '--command', command, '/dev/null'], {
      cwd: emptyFolder,
      env: programEnvironment(database.url, { LOG_FORMAT: undefined }),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (part: string) => (text += part));
    await new Promise((resolve) => void child.once('close', resolve));
    return stripVTControlCharacters(text)
      .split(/\r?\n/)
      .filter((line) => line !== '');
  }

  const program = `'${process.execPath}' '${builtProgram('cli.js')}'`;

  it('keys create in a substitution shows one line, and its key is in the variable', async () => {
    expect((await shown(`${program} migrate`)).at(-1)).toBe('The schema is current.');
    const file = join(folder, 'key');
    const lines = await shown(`key=$(${program} keys create --name ann); printf %s "$key" > '${file}'`);
    expect(lines).toEqual([expect.stringMatching(/^Key \w{8} of ann\. It is shown this once: .*kept\.$/)]);
    expect(readFileSync(file, 'utf8')).toMatch(/^as_test_\w+$/);
  });

  it('a path that does not exist gives one line that names it', async () => {
    const port = String(await freePort());
    const env = { LOG_FORMAT: 'pretty', NODE_ENV: 'development', PORT: port };
    const service = Service.launch({ database, env });
    while (!service.output.includes('Swagger UI')) await sleep(50);
    const client = new HttpClient(`http://127.0.0.1:${port}`, await storeKey(database));
    for (const path of ['/v1/dogs?secret=1', '/v1/pets/7', '/v1/pets']) await client.get(path);
    await service.stop();
    const lines = stripVTControlCharacters(service.output).split('\n');
    const requests = lines.filter((line) => line.includes(' GET /')).map((line) => line.replace(/^\[[\d:]+\] /, ''));
    expect(requests).toEqual([
      expect.stringMatching(/^INFO: GET \/v1\/dogs 404 \d+ ms route_not_found$/),
      expect.stringMatching(/^INFO: GET \/v1\/pets\/7 404 \d+ ms pet_not_found$/),
      expect.stringMatching(/^INFO: GET \/v1\/pets 200 \d+ ms$/),
    ]);
  });
});
