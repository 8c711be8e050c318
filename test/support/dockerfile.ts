import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from './command.js';

export interface Image {
  /** What the last stage copies from the build stage: the path in the project, and the absolute path in the image. */
  readonly copies: readonly { readonly from: string; readonly to: string }[];
  /** Without variables that refer to a build argument. */
  readonly env: Readonly<Record<string, string>>;
  readonly user: string;
  readonly workdir: string;
  readonly command: readonly string[];
  /** The commands that the build runs in the last stage, as arguments of Node. */
  readonly warming: readonly (readonly string[])[];
}

export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** The instructions of the Dockerfile, stage by stage; each stage begins with its FROM. */
export function readStages(path = join(projectFolder, 'Dockerfile')): Instruction[][] {
  const lines = readFileSync(path, 'utf8')
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  const stages: Instruction[][] = [];
  for (const line of lines.filter((line) => line.trim() !== '')) {
    const [name = '', text = ''] = line.split(/\s(.*)/s);
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, text: text.trim() });
  }
  return stages;
}

/** The last stage of the Dockerfile. Its `COPY` instructions must name one build folder, /app. */
export function readDockerfile(): Image {
  const [warm = [], stage = []] = readStages().slice(-2);
  const all = (name: string): string[] => stage.filter((step) => step.name === name).map(({ text }) => text);
  const workdir = all('WORKDIR').at(-1) ?? '/';
  return {
    copies: all('COPY').map((text) => {
      const [, from = '', to = ''] = /^--from=(?:build|warm) \/app\/(\S+) (\S+)$/.exec(text) ?? [];
      return { from, to: to.endsWith('/') ? join(workdir, to, from) : join(workdir, to) };
    }),
    env: Object.fromEntries(
      [
        ...all('ENV')
          .join(' ')
          .matchAll(/([A-Z_]+)=(?:"([^"]*)"|(\S+))/g),
      ]
        .map(([, name = '', quoted, plain]) => [name, quoted ?? plain ?? ''] as const)
        .filter(([, value]) => !value.includes('$')),
    ),
    user: all('USER').at(-1) ?? '',
    workdir,
    command: JSON.parse(all('CMD').at(-1) ?? '[]') as string[],
    warming: warm.filter(({ name }) => name === 'RUN').map(({ text }) => (JSON.parse(text) as string[]).slice(1)),
  };
}
