import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { projectFolder } from '../support/command.js';
import { type Instruction, readDockerfile, readStages } from '../support/dockerfile.js';

const read = (path: string): string => readFileSync(join(projectFolder, path), 'utf8');
const readYaml = (path: string): unknown => parse(read(path), { merge: true });

/** Name, tag and digest. The tag is for people and for update tools; the digest decides what is pulled. */
const PINNED = /^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/;

const texts = (stage: readonly Instruction[], name: string): string[] =>
  stage.filter((step) => step.name === name).map(({ text }) => text);

describe('the Dockerfile', () => {
  const stages = readStages();
  const last = stages.at(-1)!;
  const [build = []] = stages;

  it('takes bases of one Node and one Debian, each by its digest', () => {
    const bases = stages.map((stage) => texts(stage, 'FROM')[0]!.replace(/ AS \w+$/, ''));
    expect(bases.filter((base) => !PINNED.test(base))).toEqual([]);
    expect(bases.map((base) => base.split('@')[0])).toStrictEqual([
      expect.stringMatching(/^node:24\.[\d.]+-trixie-slim$/),
      'gcr.io/distroless/nodejs24-debian13:nonroot',
      'gcr.io/distroless/nodejs24-debian13:nonroot',
    ]);
    expect(bases[1]).toBe(bases[2]);
  });

  it('builds by the lock file, and leaves behind what only development needs', () => {
    const steps = build.filter(({ name }) => ['RUN', 'COPY'].includes(name)).map(({ text }) => text);
    expect(steps.indexOf('npm ci')).toBeGreaterThan(0);
    // Then a change of the source does not fetch packages again.
    expect(steps.indexOf('npm ci')).toBeLessThan(steps.indexOf('src src'));
    expect(steps.at(-1)).toMatch(/^npm run build && npm prune --omit=dev/);
  });

  it('needs no shell, starts Node as process 1, as a user with a number', () => {
    expect(
      last.map(({ name }) => name).filter((name) => /^(RUN|SHELL|ADD|HEALTHCHECK|ENTRYPOINT)$/.test(name)),
    ).toEqual([]);
    const { command, user, copies, env } = readDockerfile();
    expect(command).toEqual(['dist/main.js']);
    expect(user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(copies.every(({ from, to }) => from !== '' && to.startsWith('/app/'))).toBe(true);
    const memory = '--max-old-space-size-percentage=65 --max-semi-space-size=16';
    expect(env).toMatchObject({ NODE_ENV: 'production', NODE_OPTIONS: memory });
    expect(texts(last, 'STOPSIGNAL')).toEqual(['SIGTERM']);
  });

  it('declares the ports of the service, and the origin of the image', () => {
    const port = (name: string): string => new RegExp(`${name}=(\\d+)`).exec(read('.env.example'))?.[1] ?? '';
    expect(texts(last, 'EXPOSE')).toEqual([`${port('\\bPORT')} ${port('MANAGEMENT_PORT')}`]);
    const labels = texts(last, 'LABEL').join(' ');
    for (const name of ['title', 'description', 'licenses', 'version', 'revision', 'created', 'base.name']) {
      expect(labels).toContain(`org.opencontainers.image.${name}=`);
    }
  });

  it('gets only the files that it copies from the folder', () => {
    const lines = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const copied = texts(build, 'COPY').flatMap((text) => text.split(' ').slice(0, -1));
    expect(lines[0]).toBe('*');
    expect(lines.flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : [])).sort()).toEqual(copied.sort());
  });
});

describe('compose.yaml', () => {
  interface ComposeService {
    readonly image: string;
    readonly build?: string;
    readonly user?: string;
    readonly read_only?: boolean;
    readonly cap_drop?: readonly string[];
    readonly security_opt: readonly string[];
    readonly environment: Readonly<Record<string, string>>;
    readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
    readonly command?: readonly string[];
    readonly ports?: readonly string[];
    readonly stop_grace_period?: string;
  }
  const { services } = readYaml('compose.yaml') as { services: Record<'database' | 'migrate' | 'app', ComposeService> };

  it('runs the service as a cluster does', () => {
    for (const { user, read_only, cap_drop, security_opt } of [services.app, services.migrate]) {
      expect({ user, read_only, cap_drop, security_opt }).toEqual({
        user: readDockerfile().user,
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    }
  });

  it('migrates once the database answers, and serves once that is done', () => {
    expect(services.database.image).toMatch(PINNED);
    expect(services.migrate.command).toEqual(['dist/main.js', 'migrate']);
    expect(services.migrate.depends_on).toEqual({ database: { condition: 'service_healthy' } });
    expect(services.app.depends_on).toEqual({ migrate: { condition: 'service_completed_successfully' } });
  });

  it('gives secrets as files, and opens ports to this machine only', () => {
    const values = Object.values(services).flatMap(({ environment }) => Object.entries(environment));
    const secret = values.filter(([name, value]) => /PASSWORD|URL|KEY|TOKEN/.test(name) && /@|^[^/]*$/.test(value));
    expect(secret.filter(([name]) => name !== 'MYSQL_RANDOM_ROOT_PASSWORD')).toEqual([]);
    const ports = Object.values(services).flatMap(({ ports = [] }) => ports);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it('waits for the service to end as long as that may take', () => {
    const timeout = /SHUTDOWN_TIMEOUT_MS=(\d+)/.exec(read('.env.example'))?.[1];
    const longest = (Number(services.app.environment['SHUTDOWN_DELAY_MS']) + Number(timeout)) / 1000;
    expect(Number.parseInt(services.app.stop_grace_period ?? '', 10)).toBeGreaterThanOrEqual(longest + 5);
  });
});

describe('the release', () => {
  interface Job {
    readonly permissions: Readonly<Record<string, string>>;
    readonly needs?: string;
    readonly steps: readonly {
      readonly uses?: string;
      readonly run?: string;
      readonly with?: Record<string, unknown>;
    }[];
  }
  const workflow = readYaml('.github/workflows/release.yml') as {
    readonly permissions: object;
    readonly jobs: Readonly<Record<'check' | 'image' | 'chart', Job>>;
  };
  const commands = ({ steps }: Job): string => steps.flatMap(({ run }) => run ?? []).join('\n');

  it('takes every action by its commit, and gives no job more than it needs', () => {
    const uses = Object.values(workflow.jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
    expect(uses.filter((action) => !/^[\w./-]+@[0-9a-f]{40}$/.test(action))).toEqual([]);
    expect(workflow.permissions).toEqual({});
    expect(workflow.jobs.check.permissions).toEqual({ contents: 'read' });
  });

  it('builds only what passed, whose packages are signed and without a known weakness', () => {
    expect(workflow.jobs.image.needs).toBe('check');
    const audits = ['npm audit signatures', 'npm audit --omit=dev'];
    for (const command of ['.ci/run', ...audits, 'npm run check -- manifests', 'npm run check -- chart']) {
      expect(commands(workflow.jobs.check)).toContain(command);
    }
  });

  it('signs the image by its digest without a key, with provenance and a bill of materials', () => {
    expect(commands(workflow.jobs.image)).toContain('cosign sign --yes "$IMAGE@$DIGEST"');
    expect(workflow.jobs.image.permissions).toMatchObject({ 'id-token': 'write', attestations: 'write' });
    const build = workflow.jobs.image.steps.find(({ uses }) => uses?.startsWith('docker/build-push-action@'));
    expect(build?.with).toMatchObject({ provenance: 'mode=max', sbom: true, push: true });
    const provenance = workflow.jobs.image.steps.find(({ uses }) =>
      uses?.startsWith('actions/attest-build-provenance@'),
    );
    expect(provenance?.with).toMatchObject({ 'subject-digest': '${{ steps.push.outputs.digest }}' });
  });

  it('publishes the chart of the image that it built, and signs it by its digest too', () => {
    const { chart } = workflow.jobs;
    expect(chart.needs).toBe('image');
    expect(chart.permissions).toEqual({ contents: 'read', packages: 'write', 'id-token': 'write' });
    expect(commands(chart)).toContain('digest: $DIGEST|');
    expect(commands(chart)).toContain('cosign sign --yes "$CHARTS/animal-store@$digest"');
  });
});
