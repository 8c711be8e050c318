/**
 * Renders the manifests of deploy/kustomize and deploy/helm into deploy/rendered, where a review sees them and `npm
 * test` compares them with the service. `npm run generate -- manifests` writes them. `npm run check -- manifests`
 * checks that they are current. Both lint them with helm, with kubeconform and the schemas of Kubernetes, and with the
 * schemas of the Prometheus operator. Both check that the chart refuses bad values.
 *
 * Needs Go, python3 with pip, and their registries the first time. The tools are kept in node_modules/.cache.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { digestOfSources } from '../test/support/manifests.ts';
import { program } from './go-programs.mjs';

const KUBERNETES = '1.37.0';
const OPERATOR = '@kubernetes-models/prometheus-operator@6.0.0';

const project = fileURLToPath(new URL('..', import.meta.url));
const tools = join(project, 'node_modules/.cache/manifests');
const chart = 'deploy/helm/animal-store';
const write = process.argv.includes('--write');

function run(command, args, options = {}) {
  return execFileSync(command, args, {
    cwd: project,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    ...options,
  });
}

/**
 * The schemas of the package `kubernetes-validate`, changed so that kubeconform finds their references: it looks beside
 * a schema's file, unless `$id` names another place.
 */
function schemas() {
  const folder = join(tools, `schemas-${KUBERNETES}`);
  if (existsSync(folder)) return folder;
  const fetched = mkdtempSync(join(tools, 'fetched-'));
  const wanted = `kubernetes-validate==${KUBERNETES}`;
  run('python3', [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--no-deps',
    '--root-user-action',
    'ignore',
    '--target',
    fetched,
    wanted,
  ]);
  const source = join(fetched, `kubernetes_validate/kubernetes-json-schema/v${KUBERNETES}-local-strict`);
  for (const name of readdirSync(source)) {
    const { $id, ...schema } = JSON.parse(readFileSync(join(source, name), 'utf8'));
    const text = JSON.stringify(schema).replaceAll('"/api/_definitions.json', '"_definitions.json');
    if ($id !== undefined) writeFileSync(join(source, name), text);
  }
  renameSync(source, folder);
  rmSync(fetched, { recursive: true });
  return folder;
}

async function operatorModels() {
  const folder = join(tools, 'operator');
  if (!existsSync(folder))
    run('npm', ['install', '--no-audit', '--no-fund', '--no-save', '--prefix', folder, OPERATOR]);
  const path = join(folder, 'node_modules/@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/index.js');
  return import(pathToFileURL(path).href);
}

const template = (values, ...args) => [
  'template',
  'animal-store',
  chart,
  '--namespace',
  'animal-store',
  '--values',
  `${chart}/ci/${values}-values.yaml`,
  ...args,
];

/** A value that the chart must refuse, with otherwise good values, and a word of the error. */
const REFUSED = [
  ['config.PUBLIC_BASE_URL=', 'PUBLIC_BASE_URL'],
  ['config.DATABASE_URL=mysql://', 'DATABASE_URL'],
  ['config.LOG_LEVLE=debug', 'LOG_LEVLE'],
  ['config.LOG_LEVEL=loud', 'LOG_LEVEL'],
  ['config.SHUTDOWN_TIMEOUT_MS=abc', 'SHUTDOWN_TIMEOUT_MS'],
  ['config.DATABASE_POOL_SIZE=101', 'DATABASE_POOL_SIZE'],
  ['secrets.files.LOG_LEVLE_FILE=level', 'LOG_LEVLE_FILE'],
  ['secrets.files.TRUST_PROXY_FILE=proxies', 'given twice'],
  ['gateway.enabled=true', 'parentRefs'],
  ['certificateAuthorities.key=../x', 'certificateAuthorities'],
  ['config.MIGRATIONS=run', 'MIGRATIONS'],
  ['config.METRICS_ENABLED=false', 'METRICS_ENABLED'],
  ['secrets.files.DATABASE_URL_FILE=', 'DATABASE_URL_FILE'],
  ['monitoring.runbookUrl=', 'runbookUrl'],
  ['image.tag=latest', 'release'],
  ['image.digest=1234', 'digest'],
  ['podDisruptionBudget.minAvailable=3', 'drained'],
  ['autoscaling.maxReplicas=2', 'maxReplicas'],
  ['replicas=0', 'replicas'],
  ['replica=3', 'replica'],
];

function refusals() {
  return REFUSED.flatMap(([setting, reason]) => {
    const flag =
      /^[a-zA-Z]+(\.[a-zA-Z]+)?=(\d+|true)$/.test(setting) && !setting.startsWith('image') ? '--set' : '--set-string';
    const { status, stderr } = spawnSync(program('helm'), template('production', flag, setting), {
      cwd: project,
      encoding: 'utf8',
    });
    return status !== 0 && stderr.includes(reason) ? [] : [`${setting} was not refused for ${reason}:\n${stderr}`];
  });
}

function checkSchema(text) {
  const location = join(schemas(), '{{ .ResourceKind }}{{ .KindSuffix }}.json');
  const skipped = 'ServiceMonitor,PrometheusRule,Gateway,HTTPRoute,ExternalSecret';
  run(
    program('kubeconform'),
    ['-strict', '-summary', '-kubernetes-version', KUBERNETES, '-schema-location', location, '-skip', skipped],
    { input: text, stdio: ['pipe', 'inherit', 'inherit'] },
  );
}

/** Without the dashboard, which is a thousand lines long, and which the other renderings contain. */
function withoutDashboard(text) {
  return text
    .split(/^---\n/m)
    .filter((each) => !each.includes('grafana_dashboard'))
    .join('---\n');
}

/** The production overlay with the component for OpenShift, which is commented out in the overlay. */
function openshift() {
  const folder = join(tools, 'openshift');
  mkdirSync(folder, { recursive: true });
  const from = (path) => relative(folder, join(project, 'deploy/kustomize', path));
  const kustomization = { resources: [from('overlays/production')], components: [from('openshift')] };
  writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
  return run(program('kustomize'), ['build', folder]);
}

const rendered = {
  staging: run(program('kustomize'), ['build', 'deploy/kustomize/overlays/staging']),
  production: run(program('kustomize'), ['build', 'deploy/kustomize/overlays/production']),
  openshift: withoutDashboard(openshift()),
  helm: run(program('helm'), template('production')),
  'every-option': withoutDashboard(run(program('helm'), template('every-option'))),
};

const faults = refusals();
const unscaled = run(program('helm'), template('production', '--set', 'autoscaling.enabled=false,replicas=5'));
if (!/^ {2}replicas: 5$/m.test(unscaled) || unscaled.includes('HorizontalPodAutoscaler'))
  faults.push('Without autoscaling the chart does not use its value replicas');
// A Job cannot be changed, so it needs another name to run again.
const jobName = (...args) =>
  /^kind: Job\nmetadata:\n {2}name: (\S+)$/m.exec(run(program('helm'), template('production', ...args)))?.[1];
const names = [[], [], ['--set-string', 'migrate.run=2'], ['--set-string', 'migrate.run=3']].map((args) =>
  jobName(...args),
);
if (names.includes(undefined) || names[0] !== names[1] || new Set(names).size !== 3)
  faults.push(`migrate.run does not give the Job another name: ${names.join(', ')}`);
for (const values of ['production', 'every-option']) {
  run(program('helm'), ['lint', '--strict', chart, '--values', `${chart}/ci/${values}-values.yaml`], {
    stdio: 'inherit',
  });
}

mkdirSync(join(project, 'deploy/rendered'), { recursive: true });
for (const [name, text] of Object.entries(rendered)) {
  const path = join(project, 'deploy/rendered', `${name}.yaml`);
  const page = `# Written by \`npm run generate -- manifests\` from sources with the digest ${digestOfSources()}\n${text}`;
  if (write) writeFileSync(path, page);
  else if (!existsSync(path) || readFileSync(path, 'utf8') !== page)
    faults.push(`${path} is not current: npm run generate -- manifests`);
  checkSchema(text);
}
// The pod is created by hand, so it is in none of the rendered files.
checkSchema(readFileSync(join(project, 'deploy/keys-pod.yaml'), 'utf8'));

const models = await operatorModels();
for (const [name, text] of Object.entries(rendered)) {
  const objects = parseAllDocuments(text).map((document) => document.toJS());
  for (const object of objects.filter((object) => object?.apiVersion === 'monitoring.coreos.com/v1')) {
    try {
      new models[object.kind](object).validate();
    } catch (error) {
      faults.push(`${name}: ${object.kind}: ${error.message}`);
    }
  }
}

for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
