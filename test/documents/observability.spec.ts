import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { projectFolder } from '../support/command.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { HttpClient } from '../support/http.js';
import { readDocument } from '../support/markdown.js';
import { Service } from '../support/service.js';

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

const read = (name: string): string => readFileSync(join(projectFolder, 'deploy/observability', name), 'utf8');
const { spec } = parse(read('prometheus-rule.yaml')) as { spec: { groups: { rules: Rule[] }[] } };
const rules = spec.groups.flatMap((group) => group.rules);
const alerts = rules.filter(({ alert }) => alert !== undefined);
const runbook = readDocument('docs/operating/alerts.md');

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string }[];
}
const dashboard = JSON.parse(read('dashboard.json')) as {
  panels: Panel[];
  templating: { list: { query: string }[] };
};

describe('alerts', () => {
  it.each(alerts.map(({ alert, ...rest }) => [alert!, rest] as const))('%s can be acted upon', (alert, rule) => {
    // Production must not hide staging, and staging must not page anybody for production.
    for (const [, labels] of rule.expr.matchAll(/\bby \(([^)]*)\)/g)) expect(labels).toMatch(/^namespace, /);
    expect(rule.labels).toEqual({
      severity: expect.stringMatching(/^(critical|warning|info)$/),
      service: 'animal-store',
    });
    expect(rule.annotations).toEqual({
      summary: expect.stringMatching(/\S/),
      description: expect.stringMatching(/\S/),
      runbook_url: `docs/operating/alerts.md#${alert.toLowerCase()}`,
    });
    expect([...runbook.anchors]).toContain(alert.toLowerCase());
  });

  it('are all that the runbook speaks of', () => {
    const sections = [...runbook.anchors].filter((anchor) => anchor !== 'alerts');
    expect(sections.sort()).toEqual(alerts.map(({ alert }) => alert!.toLowerCase()).sort());
  });
});

/** Metrics of Prometheus itself, and of kube-state-metrics, which most clusters run. */
const OTHERS = [
  'up',
  'kube_deployment_status_condition',
  'kube_job_complete',
  'kube_job_failed',
  'kube_job_status_failed',
  'kube_pod_container_status_restarts_total',
];

/** Labels whose names look like those of metrics. */
const LABELS = new Set(['db_client_connection_state', 'db_client_connection_pool_name']);

describe('the metrics of alerts and dashboard', () => {
  let database: TestDatabase;
  let service: Service;
  /** The names of the exposed series by metric, with the suffixes of histograms. */
  const exposed = new Map<string, Set<string>>();

  beforeAll(async () => {
    database = await createSqliteDatabase();
    service = await Service.start({ database });
    const { text } = await new HttpClient(service.managementUrl).get('/metrics');
    for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\S+)/gm)) {
      const suffixes = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      for (const suffix of suffixes) exposed.set(name! + suffix, new Set());
    }
    for (const { record } of rules) if (record !== undefined) exposed.set(record, new Set());
    for (const name of OTHERS) exposed.set(name, new Set());
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  /** The names of series: what stands before `{`, or begins with a prefix of the service. */
  const namesIn = (expr: string): string[] => {
    const found = expr.matchAll(
      /\b(?:[a-z_:]+(?=\{)|(?:http_server|db_client|animal_store|nodejs|process|kube|namespace_job:)[a-z0-9_:]*)/g,
    );
    return [...found].map(([name]) => name).filter((name) => !LABELS.has(name));
  };

  it.each(rules.map(({ alert, record, expr }) => [alert ?? record!, expr] as const))('of %s are exposed', (_, expr) => {
    const names = namesIn(expr);
    expect(names).not.toEqual([]);
    expect(names.filter((name) => !exposed.has(name))).toEqual([]);
  });

  it('of the dashboard are exposed, in every panel', () => {
    const panels = dashboard.panels.filter(({ type }) => type !== 'row');
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    const unknown = panels.flatMap(({ title, targets = [] }) =>
      targets.flatMap(({ expr }) => {
        const names = namesIn(expr);
        return names.length > 0 ? names.filter((name) => !exposed.has(name)) : [`nothing in ${title}`];
      }),
    );
    expect(unknown).toEqual([]);
    const variables = dashboard.templating.list.flatMap(({ query }) => /label_values\((\w+)/.exec(query)?.[1] ?? []);
    expect(variables.filter((name) => !exposed.has(name))).toEqual([]);
  });

  it('show what is left of each budget in one panel of the dashboard', () => {
    const budgets = rules.flatMap(({ record = '' }) => (record.endsWith(':left30d') ? [record] : []));
    expect(budgets).toHaveLength(2);
    const showing = dashboard.panels.filter(({ targets = [] }) =>
      budgets.every((budget) => targets.some(({ expr }) => expr.startsWith(`${budget}{`))),
    );
    expect(showing.map(({ title }) => title)).toEqual(['Budget left of 30 days']);
  });

  it('of the service itself are all in a rule or a panel, but what says the same in another way', () => {
    const shown = [...rules, ...dashboard.panels.flatMap(({ targets = [] }) => targets)]
      .map(({ expr }) => expr)
      .join('\n');
    const unseen = [...exposed.keys()]
      .filter((name) => /^(http|db|animal_store)_/.test(name))
      .map((name) => name.replace(/_(bucket|sum|count)$(?<!connection_count)/, ''))
      .filter((name) => !shown.includes(name));
    expect([...new Set(unseen)]).toEqual(['animal_store_build_info']);
  });
});
