import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { projectFolder } from '../support/command.js';
import { type Manifest, readRendered, workloadsOf } from '../support/manifests.js';

it('the chart with every option has each value where it belongs', () => {
  const { objects } = readRendered('every-option');
  const workloads = workloadsOf(objects);
  const one = (kind: string): Manifest => objects.find((object) => object.kind === kind)!;
  const { autoscaling, affinity, nodeSelector, tolerations, priorityClassName, ...values } = parse(
    readFileSync(join(projectFolder, 'deploy/helm/animal-store/ci/every-option-values.yaml'), 'utf8'),
  ) as Readonly<Record<string, Manifest['metadata'] & Readonly<Record<string, unknown>>>>;
  for (const { pod } of workloads) {
    expect(pod).toMatchObject({
      affinity,
      nodeSelector,
      tolerations,
      priorityClassName,
      imagePullSecrets: [{ name: 'registry' }],
    });
  }
  const spread = { whenUnsatisfiable: 'DoNotSchedule' };
  expect(workloads.find(({ name }) => name === 'Deployment')!.pod).toMatchObject({
    topologySpreadConstraints: [spread, spread],
  });
  expect(one('HorizontalPodAutoscaler').spec).toMatchObject(autoscaling!);
  for (const [kind, of] of [
    ['ServiceAccount', 'serviceAccount'],
    ['Service', 'service'],
    ['Job', 'migrate'],
    ['Ingress', 'ingress'],
    ['Gateway', 'gateway'],
  ] as const) {
    const [object] = objects.filter((each) => each.kind === kind && !each.metadata.name.endsWith('-management'));
    expect(object!.metadata.annotations).toMatchObject(values[of]!.annotations!);
  }
  const { podLabels, podAnnotations, extraObjects } = values as Readonly<Record<string, object>>;
  const template = one('Deployment').spec!.template!.metadata;
  expect(template).toMatchObject({ labels: podLabels, annotations: podAnnotations });
  expect(objects.filter(({ kind }) => kind === 'ExternalSecret')).toHaveLength((extraObjects as object[]).length);
});

it('every Service of the chart has the IP families that it is given', () => {
  const services = readRendered('every-option').objects.filter(({ kind }) => kind === 'Service');
  expect(services.map(({ metadata }) => metadata.name).sort()).toEqual(['animal-store', 'animal-store-management']);
  for (const { spec } of services)
    expect(spec).toMatchObject({ ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv6', 'IPv4'] });
});

it('on OpenShift the namespace gives pods of the overlay their user and group, and names are asked for at its port', () => {
  const { objects } = readRendered('openshift');
  const workloads = workloadsOf(objects);
  expect(workloads.map(({ name }) => name).sort()).toEqual(['Deployment', 'Job']);
  for (const { pod } of workloads) {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true });
    expect(JSON.stringify(pod)).not.toMatch(/runAsUser|runAsGroup|fsGroup/);
  }
  const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy');
  expect(policies).not.toEqual([]);
  for (const { spec } of policies) expect(spec!.egress![0]!.ports.map(({ port }) => port)).toEqual([5353, 5353]);
});

it.each(['staging', 'production', 'openshift', 'helm', 'every-option'])(
  'the Job of %s is no hook that Helm waits for',
  (name) => {
    const jobs = readRendered(name).objects.filter(({ kind }) => kind === 'Job');
    expect(jobs).toHaveLength(1);
    expect(Object.keys(jobs[0]!.metadata.annotations ?? {}).filter((key) => key.startsWith('helm.sh/hook'))).toEqual(
      [],
    );
  },
);

it.each(['staging', 'production'])('the Job of the overlay %s is made anew by Argo CD and by Flux', (name) => {
  const job = readRendered(name).objects.find(({ kind }) => kind === 'Job')!;
  expect(job.metadata.annotations).toEqual({
    'argocd.argoproj.io/hook': 'Sync',
    'argocd.argoproj.io/hook-delete-policy': 'BeforeHookCreation',
    'kustomize.toolkit.fluxcd.io/force': 'enabled',
  });
});
