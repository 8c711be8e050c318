import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CommandResult, projectFolder, runCommand } from '../support/command.js';
import { DECIDED, variableSchemas, type TextSchema } from '../support/chart-values.js';
import { readDockerfile } from '../support/dockerfile.js';
import { HttpClient } from '../support/http.js';
import {
  digestOfSources,
  type Labels,
  type Manifest,
  type PodContainer,
  readRendered,
  selectorOf,
  type Workload,
  workloadsOf,
} from '../support/manifests.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { Service } from '../support/service.js';

/** MySQL's default for max_connections. */
const MAX_CONNECTIONS = 151;
const folder = scratchFolder('manifests');
let service: Service;

beforeAll(async () => {
  service = await Service.start({ database: { url: `sqlite:${join(folder, 'store.sqlite')}` } }, 60_000);
}, 300_000);

afterAll(() => {
  removeScratch(folder);
});

/** The names of all variables of the service. */
const known = [...readFileSync(join(projectFolder, '.env.example'), 'utf8').matchAll(/^(?:# ?)?([A-Z_]+)=/gm)].map(
  ([, name = '']) => name,
);

/** The effective environment of a container: its own variables override those of its ConfigMaps. */
function environmentOf({ env = [], envFrom }: PodContainer, objects: readonly Manifest[]): Record<string, string> {
  const maps = envFrom.map(({ configMapRef }) => {
    const map = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef.name);
    if (map?.data === undefined) throw new Error(`There is no ConfigMap ${configMapRef.name}`);
    return map.data;
  });
  return Object.assign({}, ...maps, Object.fromEntries(env.map(({ name, value }) => [name, value]))) as Record<
    string,
    string
  >;
}

const URLS: Readonly<Record<string, string>> = {
  DATABASE_URL_FILE: 'mysql://store:x@db.example.com:3306/store',
  REDIS_URL_FILE: 'rediss://redis.example.com:6379',
};

const asked = new Map<string, Promise<CommandResult>>();

/** Runs `config` with an environment, and writes the files that the environment names. */
function askProgram(given: Record<string, string>): Promise<CommandResult> {
  const question = JSON.stringify(Object.entries(given).sort());
  const files = Object.entries(given).filter(([name]) => name.endsWith('_FILE'));
  for (const [name, path] of files) {
    given[name] = join(folder, basename(path));
    writeFileSync(given[name], URLS[name] ?? 'x');
  }
  const unset = { PORT: undefined, MANAGEMENT_PORT: undefined, LOG_FORMAT: undefined, SHED_LOOP_DELAY_MS: undefined };
  // The files of these authorities do not exist here, and Node would warn.
  const answerable = { ...unset, ...given, NODE_EXTRA_CA_CERTS: undefined };
  const answer = asked.get(question) ?? runCommand({ url: '' }, ['config'], answerable);
  asked.set(question, answer);
  return answer;
}

/** The effective configuration of a container, read by the program itself. */
async function configurationOf(container: PodContainer, objects: readonly Manifest[]) {
  const given = environmentOf(container, objects);
  for (const path of Object.entries(given).flatMap(([name, path]) => (name.endsWith('_FILE') ? [path] : []))) {
    expect(container.volumeMounts.filter(({ mountPath }) => path.startsWith(`${mountPath}/`))).toHaveLength(1);
  }
  const { code, stdout, stderr } = await askProgram(given);
  return { code, stderr, of: (name: string) => new RegExp(`^${name} +(\\S+)`, 'm').exec(stdout)?.[1] ?? '' };
}

const matches = (selector: Labels, labels: Labels): boolean =>
  Object.entries(selector).every(([name, value]) => labels[name] === value);

describe.each(['staging', 'production', 'helm'])('what a cluster is given: %s', (rendering) => {
  const { text, objects } = readRendered(rendering);
  const workloads = workloadsOf(objects);
  const find = (kind: string, name = 'animal-store'): Manifest =>
    objects.find((object) => object.kind === kind && object.metadata.name === name)!;
  const api = workloads.find(({ name }) => name === 'Deployment')!.pod;
  const container = api.containers[0]!;

  it('was written from the sources as they are: npm run generate -- manifests', () => {
    expect(/digest ([0-9a-f]{64})/.exec(text)?.[1]).toBe(digestOfSources());
  });

  it('has an object for each of its promises, and no Secret with a value', () => {
    const kinds = objects.map(({ kind }) => kind);
    expect(kinds).toEqual(
      expect.arrayContaining([
        ...['Deployment', 'Job', 'Service', 'ServiceAccount', 'ConfigMap', 'PodDisruptionBudget'],
        ...['HorizontalPodAutoscaler', 'NetworkPolicy', 'ServiceMonitor'],
      ]),
    );
    expect(kinds).not.toContain('Secret');
    expect(workloads).toHaveLength(2);
  });

  it.each(workloads)('$name is allowed by the Pod Security Standard restricted, and writes nowhere', ({ pod }) => {
    const { user } = readDockerfile();
    expect(Object.keys(pod).filter((name) => /^host(Network|PID|IPC|Users)$/.test(name))).toEqual([]);
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: Number(user.split(':')[0]),
      runAsGroup: Number(user.split(':')[1]),
      seccompProfile: { type: 'RuntimeDefault' },
    });
    for (const forbidden of ['sysctls', 'seLinuxOptions', 'appArmorProfile', 'windowsOptions']) {
      expect(pod.securityContext).not.toHaveProperty(forbidden);
    }
    const kinds = pod.volumes.flatMap((volume) => Object.keys(volume)).filter((key) => key !== 'name');
    const allowed = [
      'configMap',
      'csi',
      'downwardAPI',
      'emptyDir',
      'ephemeral',
      'persistentVolumeClaim',
      'projected',
      'secret',
    ];
    expect(kinds.filter((kind) => !allowed.includes(kind))).toEqual([]);
    for (const each of [...pod.containers, ...(pod.initContainers ?? [])]) {
      // Exactly this: anything else in a security context only weakens it.
      expect(each.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(each.ports?.filter(({ hostPort }) => hostPort !== undefined) ?? []).toEqual([]);
    }
  });

  it.each(workloads)(
    '$name has no token, bounded memory, a released image, and secrets as files that can change',
    (workload) => {
      expect(workload.pod.automountServiceAccountToken).toBe(false);
      const { version } = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')) as { version: string };
      for (const { image, resources, volumeMounts, command } of workload.pod.containers) {
        expect(image).toMatch(new RegExp(`:${version.replaceAll('.', '\\.')}$|@sha256:[0-9a-f]{64}$`));
        expect(command).toBeUndefined();
        expect(resources).toEqual({
          requests: { cpu: expect.any(String), memory: resources.limits['memory'] },
          limits: { memory: expect.stringMatching(/^\d+Mi$/) },
        });
        expect(volumeMounts.filter(({ subPath }) => subPath !== undefined)).toEqual([]);
      }
    },
  );

  it.each(workloads)(
    '$name is configured as the program understands it, with nothing it does not know',
    async (workload) => {
      const { code, stderr, of } = await configurationOf(workload.pod.containers[0]!, objects);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(of('NODE_ENV')).toBe('production');
      expect(of('DATABASE_TLS_MODE')).toBe('verify-identity');
      expect(of('MIGRATIONS')).toBe('check');
    },
  );

  it('stops a replica only after the time that the program may take', async () => {
    const { of } = await configurationOf(container, objects);
    const longest = (Number(of('SHUTDOWN_DELAY_MS')) + Number(of('SHUTDOWN_TIMEOUT_MS'))) / 1000;
    expect(longest).toBeGreaterThan(0);
    expect(api.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(longest + 5);
    // Exactly one of the two, since both delays would add up.
    expect(Number(of('SHUTDOWN_DELAY_MS'))).toBeGreaterThan(0);
    expect(container.lifecycle).toBeUndefined();
  });

  it('names the ports that the program listens on', async () => {
    const { of } = await configurationOf(container, objects);
    expect(container.ports).toEqual([
      { name: 'http', containerPort: Number(of('PORT')) },
      { name: 'management', containerPort: Number(of('MANAGEMENT_PORT')) },
    ]);
    const ports = objects.filter(({ kind }) => kind === 'Service').flatMap(({ spec }) => spec!.ports!);
    expect(ports.map(({ targetPort }) => targetPort).sort()).toEqual(['http', 'management']);
    const policed = find('NetworkPolicy').spec!.ingress!.flatMap((rule) => rule.ports);
    expect(policed.map(({ port }) => port)).toEqual(['http', 'management']);
  });

  it('asks for paths that are answered, and restarts no replica for the database', async () => {
    const { startupProbe, readinessProbe, livenessProbe } = container;
    const management = new HttpClient(service.managementUrl);
    for (const probe of [startupProbe!, readinessProbe!, livenessProbe!]) {
      expect((await management.get(probe.httpGet.path)).status).toBe(200);
      expect(probe).toMatchObject({ httpGet: { port: 'management' }, timeoutSeconds: expect.any(Number) });
    }
    expect([startupProbe!.httpGet.path, livenessProbe!.httpGet.path]).toEqual(['/livez', '/livez']);
    expect(readinessProbe!.httpGet.path).toBe('/readyz');
    const { of } = await configurationOf(container, objects);
    const patience = livenessProbe!.periodSeconds * livenessProbe!.failureThreshold * 1000;
    expect(patience).toBeGreaterThanOrEqual(Number(of('LIVENESS_MAX_STALL_MS')));
    for (const { path } of find('ServiceMonitor').spec!.endpoints!) {
      expect((await management.get(path)).status).toBe(200);
    }
  });

  it('keeps two replicas in any drain and rollout, and never uses up the connections of the database', async () => {
    const { minReplicas, maxReplicas } = find('HorizontalPodAutoscaler').spec!;
    expect(find('Deployment').spec!.strategy).toEqual({ rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
    expect(find('Deployment').spec).not.toHaveProperty('replicas');
    expect(find('PodDisruptionBudget').spec!.minAvailable).toBe(2);
    expect(minReplicas).toBeGreaterThan(2);
    const { of } = await configurationOf(container, objects);
    expect((maxReplicas! + 1) * Number(of('DATABASE_POOL_SIZE'))).toBeLessThan(MAX_CONNECTIONS);
  });

  it('selects pods, and a Service, that there are', () => {
    const selecting = objects.filter(({ kind }) => kind !== 'ServiceMonitor');
    const selectors = selecting.map(selectorOf).filter((selector) => selector !== undefined);
    expect(selectors).toHaveLength(6);
    for (const selector of selectors) {
      expect(workloads.filter(({ labels }: Workload) => matches(selector, labels))).toHaveLength(1);
    }
    const monitored = selectorOf(find('ServiceMonitor')) ?? {};
    const services = objects.filter(({ kind, metadata }) => kind === 'Service' && matches(monitored, metadata.labels!));
    expect(services.map(({ metadata }) => metadata.name)).toEqual(['animal-store-management']);
  });
});

it('the namespaces of the overlays enforce the Pod Security Standard restricted', () => {
  for (const name of ['staging', 'production']) {
    const { metadata } = readRendered(name).objects.find(({ kind }) => kind === 'Namespace')!;
    expect(metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
  }
});

/** Only Helm has these: its labels, the one name of each ConfigMap with its digest, and the pod's own variables. */
const OF_ONE =
  /^(app\.kubernetes\.io\/(instance|managed-by)|helm\.sh\/chart)$|^(namespace|annotations|imagePullPolicy|env|data|ttlSecondsAfterFinished)$/;
const DIGEST_IN_NAME = /^(animal-store(?:-migrate)?)-(?:[0-9a-f]{8}|[a-z0-9]{10})$/;

/** The objects without the differences between kustomize and Helm. */
function alike(name: string): Manifest[] {
  const text = JSON.stringify(readRendered(name).objects, (key, value: unknown) => {
    if (OF_ONE.test(key)) return undefined;
    return typeof value === 'string' && value !== 'animal-store-management'
      ? value.replace(DIGEST_IN_NAME, '$1')
      : value;
  });
  const objects = (JSON.parse(text) as Manifest[]).filter(({ kind }) => kind !== 'Namespace');
  const order = ({ kind, metadata }: Manifest): string => `${kind}/${metadata.name}`;
  return objects.sort((one, other) => order(one).localeCompare(order(other)));
}

it('the chart gives what the overlay for production does', () => {
  expect(alike('helm')).toEqual(alike('production'));
  const [ofHelm, ofOverlay] = ['helm', 'production'].map((name) => {
    const { objects } = readRendered(name);
    return workloadsOf(objects).map(({ pod }) => environmentOf(pod.containers[0]!, objects));
  });
  expect(ofHelm).toEqual(ofOverlay?.reverse());
});

describe('the chart with every option', () => {
  const { objects } = readRendered('every-option');
  const workloads = workloadsOf(objects);
  const own = objects.filter(({ kind }) => kind !== 'ExternalSecret');
  const one = (kind: string, name = 'animal-store'): Manifest =>
    objects.find((object) => object.kind === kind && object.metadata.name === name)!;

  it('has the labels and the annotations on everything, on pods too', () => {
    const templates = own.flatMap(({ spec }) => spec?.template?.metadata ?? []);
    expect(templates).toHaveLength(2);
    for (const metadata of [...own.map((object) => object.metadata), ...templates]) {
      expect(metadata.labels).toMatchObject({ team: 'animals' });
      expect(metadata.annotations).toMatchObject({ 'example.com/cost-center': '42' });
    }
    for (const kind of ['ServiceMonitor', 'PrometheusRule']) {
      expect(one(kind).metadata.labels).toMatchObject({ release: 'kube-prometheus-stack' });
    }
    for (const selector of own.map(selectorOf)) expect(selector ?? {}).not.toHaveProperty('team');
  });

  it.each(workloads)('$name has no user of its own, and is restricted all the same', ({ pod }) => {
    expect(pod.securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(pod.automountServiceAccountToken).toBe(false);
  });

  it.each(workloads)(
    '$name is configured as the program understands it, on IPv6, with its authorities',
    async (each) => {
      const [container] = each.pod.containers;
      const { code, stderr, of } = await configurationOf(container!, objects);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(of('HOST')).toBe('::');
      expect(environmentOf(container!, objects)).toMatchObject({
        NODE_EXTRA_CA_CERTS: '/run/certificate-authorities/ca.crt',
        TZ: 'UTC',
      });
      const mounted = container!.volumeMounts.map(({ name }) => name);
      expect(each.pod.volumes.map(({ name }) => name)).toEqual(mounted);
      expect(mounted).toEqual(['secrets', 'certificate-authorities', 'own']);
    },
  );

  it('gives the secrets of the service to the service alone', () => {
    const [service, migration] = ['Deployment', 'Job'].map((kind) => {
      const { pod } = workloads.find(({ name }) => name === kind)!;
      return Object.keys(environmentOf(pod.containers[0]!, objects)).filter((name) => name.endsWith('_FILE'));
    });
    expect(service).toEqual(expect.arrayContaining(['OTEL_EXPORTER_OTLP_HEADERS_FILE', 'REDIS_URL_FILE']));
    expect(migration!.filter((name) => !name.startsWith('DATABASE_'))).toEqual([]);
  });

  it('asks for names where the cluster has them, the Job too, and lets the service out to Redis', () => {
    const portsOf = (name: string): (string | number)[] =>
      one('NetworkPolicy', name).spec!.egress!.flatMap(({ ports }) => ports.map(({ port }) => port));
    expect(portsOf('animal-store')).toEqual([5353, 5353, 3306, 6379, 4317, 4318, 4318]);
    expect(portsOf('animal-store-migrate')).toEqual([5353, 5353, 3306]);
    const names = JSON.stringify(objects.filter(({ kind }) => kind === 'NetworkPolicy'));
    expect(names.match(/openshift-dns/g)).toHaveLength(2);
    expect(names).not.toContain('kube-system');
  });

  it('leads the host of PUBLIC_BASE_URL to the service, with TLS, by Ingress and by Gateway', () => {
    expect(one('Ingress').spec).toMatchObject({
      ingressClassName: 'nginx',
      tls: [{ hosts: ['animals.example.com'], secretName: 'animals-tls' }],
      rules: [{ host: 'animals.example.com' }],
    });
    expect(one('HTTPRoute').spec).toMatchObject({
      parentRefs: [{ name: 'animal-store' }],
      hostnames: ['animals.example.com'],
      rules: [{ backendRefs: [{ name: 'animal-store', port: 80 }] }],
    });
    expect(one('Gateway').spec).toMatchObject({
      listeners: [{ protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'animals-tls' }] } }],
    });
  });

  it('removes the Job that ended, and keeps the configuration that old pods have', () => {
    expect(objects.find(({ kind }) => kind === 'Job')!.spec).toMatchObject({ ttlSecondsAfterFinished: 3600 });
    const map = objects.find(({ kind, data }) => kind === 'ConfigMap' && data?.['NODE_ENV'] !== undefined)!;
    expect(map).toMatchObject({
      immutable: true,
      metadata: { name: expect.stringMatching(/-[0-9a-f]{8}$/), annotations: { 'helm.sh/resource-policy': 'keep' } },
    });
  });
});

describe('the values of the chart', () => {
  interface Schema {
    readonly properties: Record<string, Schema>;
    readonly patternProperties?: Record<string, unknown>;
  }
  const { properties } = JSON.parse(
    readFileSync(join(projectFolder, 'deploy/helm/animal-store/values.schema.json'), 'utf8'),
  ) as Schema;
  const plain = properties['config']!.properties as unknown as Readonly<Record<string, TextSchema>>;
  const files = properties['secrets']!.properties['files']!;

  it('are described as the program prints its configuration (npm run docs)', async () => {
    const { stdout } = await runCommand({ url: '' }, ['config', '--markdown']);
    expect({ config: plain, files: files.properties }).toEqual(variableSchemas(stdout));
  });

  it('take every variable of the service, any of them as a file of the Secret', () => {
    const takes = (schema: Schema, name: string): boolean =>
      name in schema.properties ||
      Object.keys(schema.patternProperties ?? {}).some((pattern) => new RegExp(pattern).test(name));
    const asFile = (name: string): string => (name.endsWith('_FILE') ? name : `${name}_FILE`);
    const free = known.filter((name) => !DECIDED.includes(name));
    expect([...free, 'OTEL_EXPORTER_OTLP_HEADERS'].filter((name) => !takes(files, asFile(name)))).toEqual([]);
    const secret = free.filter((name) => !takes(properties['config']!, name));
    expect(secret.every((name) => /^(DATABASE|REDIS)_URL$|_FILE$/.test(name))).toBe(true);
    expect(DECIDED.filter((name) => takes(properties['config']!, name))).toEqual([]);
  });

  const accepts = ({ enum: words, pattern }: TextSchema, text: string): boolean =>
    words?.includes(text) ?? new RegExp(pattern!).test(text);

  it.each(['loud', 'abc', '-1', '01', '1.5', '1e3', ' 1', '104857601', ''])(
    'refuse %p wherever the program refuses it, but for what only the program can tell',
    async (text) => {
      const { of, stderr } = await judged(text);
      const refusedByProgram = Object.keys(plain).filter((name) =>
        new RegExp(`^ *${name}\\b.*must be`, 'm').test(stderr),
      );
      expect(of).toBe(text === '' ? 0 : 78);
      const passed = refusedByProgram.filter((name) => accepts(plain[name]!, text));
      expect(passed.filter((name) => !/^(FEATURES_OFF|HOST|TRUST_PROXY|CORS_ORIGINS)$/.test(name))).toEqual([]);
      const refusedBySchema = Object.keys(plain).filter((name) => !accepts(plain[name]!, text));
      // The program treats an empty value as unset; the chart uses null.
      if (text !== '') expect(refusedBySchema.filter((name) => !refusedByProgram.includes(name))).toEqual([]);
    },
  );

  async function judged(text: string): Promise<{ of: number | null; stderr: string }> {
    const { code, stderr } = await runCommand({ url: 'sqlite::memory:' }, ['config'], {
      ...Object.fromEntries(Object.keys(plain).map((name) => [name, text])),
    });
    return { of: code, stderr };
  }
});
