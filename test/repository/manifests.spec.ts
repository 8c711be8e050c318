import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CommandResult, projectFolder, runCommand } from '../support/command.js';
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

/** What MySQL takes unless it is told otherwise. */
const MAX_CONNECTIONS = 151;
const folder = scratchFolder('manifests');
let service: Service;

beforeAll(async () => {
  service = await Service.start({ database: { url: `sqlite:${join(folder, 'store.sqlite')}` } }, 60_000);
}, 70_000);

afterAll(() => {
  removeScratch(folder);
});

/** Every variable of the service. */
const known = [...readFileSync(join(projectFolder, '.env.example'), 'utf8').matchAll(/^(?:# ?)?([A-Z_]+)=/gm)].map(
  ([, name = '']) => name,
);

/** What a container's environment is in the end: its own, above that of its ConfigMaps. */
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

const asked = new Map<string, Promise<CommandResult>>();

/** Lets the program itself read an environment, with files for those that it names. */
function askProgram(given: Record<string, string>): Promise<CommandResult> {
  const question = JSON.stringify(Object.entries(given).sort());
  const files = Object.entries(given).filter(([name]) => name.endsWith('_FILE'));
  for (const [name, path] of files) {
    given[name] = join(folder, basename(path));
    writeFileSync(given[name], name === 'DATABASE_URL_FILE' ? 'mysql://store:x@db.example.com:3306/store' : 'x');
  }
  const unset = { PORT: undefined, MANAGEMENT_PORT: undefined, LOG_FORMAT: undefined, SHED_LOOP_DELAY_MS: undefined };
  const answer = asked.get(question) ?? runCommand({ url: '' }, ['config'], { ...unset, ...given });
  asked.set(question, answer);
  return answer;
}

/** The effective configuration of a container, as the program itself reads it. */
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

  it('was written from the sources as they are: npm run manifests', () => {
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
      // Exactly this: whatever else may stand in a security context only takes away from it.
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
    // One of both: the delay would be paid twice.
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

  it('keeps two replicas in any drain and rollout, and the database out of connections never', async () => {
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

/** Of Helm alone: its labels, one name for every configuration and its digest, variables of the pod's own. */
const OF_ONE =
  /^(app\.kubernetes\.io\/(instance|managed-by)|helm\.sh\/chart)$|^(namespace|annotations|imagePullPolicy|env|data|ttlSecondsAfterFinished)$/;
const DIGEST_IN_NAME = /^(animal-store(?:-migrate)?)-(?:[0-9a-f]{8}|[a-z0-9]{10})$/;

/** The objects without what kustomize and Helm each do in their own way. */
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

describe('the values of the chart', () => {
  interface Schema {
    readonly properties: Record<string, Schema>;
    readonly patternProperties?: Record<string, unknown>;
  }
  const { properties } = JSON.parse(
    readFileSync(join(projectFolder, 'deploy/helm/animal-store/values.schema.json'), 'utf8'),
  ) as Schema;
  /** The chart's own decision: ports have names in it, and everything that it runs is production. */
  const DECIDED = ['NODE_ENV', 'HOST', 'PORT', 'MANAGEMENT_PORT'];

  it('take every variable of the service, secrets as files, and no other', () => {
    const plain = Object.keys(properties['config']!.properties);
    const files = Object.keys(properties['secrets']!.properties['files']!.properties);
    const named = files.map((name) => (known.includes(name) ? name : name.replace(/_FILE$/, '')));
    const patterns = Object.keys(properties['config']!.patternProperties ?? {}).map((pattern) => new RegExp(pattern));
    const matched = known.filter((name) => !plain.includes(name) && patterns.some((pattern) => pattern.test(name)));
    expect([...DECIDED, ...plain, ...named, ...matched].sort()).toEqual([...known].sort());
  });
});
