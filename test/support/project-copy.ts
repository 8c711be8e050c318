import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../..', import.meta.url));

/** The files that `nest start` needs besides the packages. */
export const STARTED_BY_NEST = ['src', 'package.json', 'nest-cli.json', 'tsconfig.json', 'tsconfig.build.json'];

/** Copies parts of this project into a folder. They use the packages that are installed here. */
export function copyProject(folder: string, parts: readonly string[]): void {
  for (const part of parts) cpSync(join(project, part), join(folder, part), { recursive: true });
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'));
}
