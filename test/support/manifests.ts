import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';

const deploy = fileURLToPath(new URL('../../deploy', import.meta.url));

/** The digest of every file that deploy/rendered is made from, so that stale rendered files are noticed. */
export function digestOfSources(): string {
  const hash = createHash('sha256');
  for (const path of globSync('{kustomize,helm,observability}/**/*.*', { cwd: deploy }).sort()) {
    hash.update(`${path}\n`).update(readFileSync(`${deploy}/${path}`));
  }
  return hash.digest('hex');
}

export type Labels = Readonly<Record<string, string>>;

export interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly failureThreshold: number;
}

export interface PodContainer {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly command?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly envFrom: readonly { readonly configMapRef: { readonly name: string } }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number; readonly hostPort?: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly subPath?: string }[];
  readonly resources: Readonly<Record<'requests' | 'limits', Readonly<Record<string, string>>>>;
  readonly securityContext: object;
  readonly lifecycle?: object;
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
}

export interface PodSpec {
  readonly containers: readonly PodContainer[];
  readonly initContainers?: readonly PodContainer[];
  readonly volumes: readonly { readonly name: string; readonly secret?: { readonly secretName: string } }[];
  readonly securityContext: object;
  readonly automountServiceAccountToken: boolean;
  readonly terminationGracePeriodSeconds?: number;
}

interface PodTemplate {
  readonly metadata: { readonly labels: Labels; readonly annotations?: Labels };
  readonly spec: PodSpec;
}

/** The parts of a `spec`, of any kind, that the tests read. */
export interface Spec {
  readonly template?: PodTemplate;
  readonly jobTemplate?: { readonly spec: { readonly template: PodTemplate } };
  /** A Service has labels here; all other kinds have `matchLabels`. */
  readonly selector?: Labels | { readonly matchLabels: Labels };
  readonly podSelector?: { readonly matchLabels: Labels };
  readonly strategy?: object;
  readonly minAvailable?: number;
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
  readonly ports?: readonly { readonly targetPort: string }[];
  readonly egress?: readonly { readonly ports: readonly { readonly port: string | number }[] }[];
  readonly ingress?: readonly { readonly ports: readonly { readonly port: string | number }[] }[];
  readonly endpoints?: readonly { readonly path: string }[];
}

export interface Manifest {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: { readonly name: string; readonly labels?: Labels; readonly annotations?: Labels };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: Spec;
}

/** What a cluster gets, as `npm run generate -- manifests` wrote it: the text and its objects. */
export function readRendered(name: string): { readonly text: string; readonly objects: readonly Manifest[] } {
  const text = readFileSync(`${deploy}/rendered/${name}.yaml`, 'utf8');
  return { text, objects: parseAllDocuments(text).map((document) => document.toJS() as Manifest) };
}

export interface Workload {
  readonly name: string;
  readonly labels: Labels;
  readonly pod: PodSpec;
}

/** Everything that starts pods, of any kind. */
export function workloadsOf(objects: readonly Manifest[]): Workload[] {
  return objects.flatMap(({ kind, spec }) => {
    const template = spec?.template ?? spec?.jobTemplate?.spec.template;
    return template === undefined ? [] : [{ name: kind, labels: template.metadata.labels, pod: template.spec }];
  });
}

/** The labels by which an object selects pods or Services; undefined if it selects none. */
export function selectorOf({ spec }: Manifest): Labels | undefined {
  const selector = spec?.podSelector ?? spec?.selector;
  if (selector === undefined) return undefined;
  return 'matchLabels' in selector ? (selector as { readonly matchLabels: Labels }).matchLabels : selector;
}
