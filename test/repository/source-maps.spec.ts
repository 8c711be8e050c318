import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { resolve } from 'node:path';

const CHUNK = globSync('dist/program/features-*.js')[0]!;
const lineWith = (file: string, text: string): number =>
  readFileSync(file, 'utf8')
    .split('\n')
    .findIndex((line) => line.includes(text));

describe('a stack of the bundled program', () => {
  it.each([
    ['async getPet(id)', 'src/pets/pets.service.ts', 'async getPet(id: bigint)'],
    ['async listPets(query)', 'src/pets/pets.controller.ts', 'async listPets(@Query() query'],
  ])('says where %s is in %s', (built, source, written) => {
    const map = new SourceMap(
      JSON.parse(readFileSync(`${CHUNK}.map`, 'utf8')) as ConstructorParameters<typeof SourceMap>[0],
    );
    const line = lineWith(CHUNK, built);
    const column = readFileSync(CHUNK, 'utf8').split('\n')[line]!.indexOf(built);
    const { originalSource, originalLine } = map.findEntry(line, column) as {
      originalSource: string;
      originalLine: number;
    };
    expect(resolve('dist/program', originalSource)).toBe(resolve(source));
    expect(originalLine).toBe(lineWith(source, written));
  });

  it('is one of the sources by itself, without an option of Node', () => {
    const say = 'data:text/javascript,process.on("exit",()=>console.error("maps:",process.sourceMapsEnabled))';
    const { stderr } = spawnSync(process.execPath, ['--import', say, 'dist/main.js', 'config', '--example'], {
      encoding: 'utf8',
    });
    expect(stderr).toContain('maps: true');
  });
});
