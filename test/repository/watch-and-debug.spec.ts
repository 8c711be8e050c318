import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { PATIENT, programEnvironment, projectFolder } from '../support/command.js';
import { NodeDebugger } from '../support/debugger.js';
import { HttpClient } from '../support/http.js';
import { copyProject, STARTED_BY_NEST } from '../support/project-copy.js';
import { RunningProgram } from '../support/running-program.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';

// It compiles all of src while other tests run.
jest.setTimeout(300_000);

const SERVICE = 'src/pets/pets.service.ts';

describe('nest start --watch --debug', () => {
  let copy: string;
  let nest: RunningProgram;

  beforeAll(() => {
    copy = scratchFolder('watch');
    copyProject(copy, STARTED_BY_NEST);
    const program = join(projectFolder, 'node_modules/@nestjs/cli/bin/nest.js');
    // The Nest CLI starts the `node` of PATH.
    const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter);
    nest = RunningProgram.start(copy, [program, 'start', '--watch', '--debug', '127.0.0.1:0'], {
      ...programEnvironment('sqlite::memory:', PATIENT),
      NODE_ENV: 'development',
      PATH,
    });
  });

  afterAll(async () => {
    await nest.stop();
    removeScratch(copy);
  });

  /** A client of the service that was started last, once it is ready, with the first key of its empty database. */
  const client = async (): Promise<HttpClient> => {
    const key = await nest.untilPrinted(/(as_test_\w+)\W/);
    return new HttpClient(await nest.untilPrinted(/"event":"app.ready".*"url":"([^"]+)"/), key);
  };

  it('stops at a breakpoint in src, where a stack names src too', async () => {
    const url = await nest.untilPrinted(/Debugger listening on (ws:\S+)\s/);
    const service = await client();
    const debug = await NodeDebugger.attach(url);
    const line = await debug.breakAt(join(copy, SERVICE), 'if (pet === undefined)');
    const answer = service.get('/v1/pets/7');
    expect(await debug.valueAtPause('String(id)')).toBe('7');
    expect(await debug.valueAtPause('new Error().stack')).toContain(`${SERVICE}:${String(line)}`);
    await debug.resume();
    debug.detach();
    expect((await answer).json()).toMatchObject({ code: 'pet_not_found', status: 404 });
  });

  it('serves what was edited', async () => {
    nest.forget();
    const file = join(copy, 'src/pets/pets.errors.ts');
    const text = readFileSync(file, 'utf8');
    const edited = text.replace("'pet_not_found'", "'pet_not_seen'");
    expect(edited).not.toBe(text);
    writeFileSync(file, edited);
    const answer = await (await client()).get('/v1/pets/7');
    expect(answer.json()).toMatchObject({ code: 'pet_not_seen', status: 404 });
  });
});
