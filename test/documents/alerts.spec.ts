import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { projectFolder } from '../support/command.js';
import { HttpClient } from '../support/http.js';
import { findProgram } from '../support/programs.js';
import { readDocument } from '../support/markdown.js';
import { readRendered } from '../support/manifests.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { Service } from '../support/service.js';

interface Rules {
  readonly spec: { readonly groups: readonly { readonly rules: readonly { readonly alert?: string }[] }[] };
}

interface RuleTests {
  readonly tests: readonly {
    readonly alert_rule_test?: readonly { readonly alertname: string; readonly exp_alerts: readonly object[] }[];
  }[];
}

const page = readDocument('docs/operating/alerts.md');
const path = (name: string): string => join(projectFolder, 'deploy/observability', name);
const { spec } = parse(readFileSync(path('prometheus-rule.yaml'), 'utf8')) as Rules;
const { tests } = parse(readFileSync(path('rules.test.yaml'), 'utf8')) as RuleTests;
const alerts = spec.groups.flatMap(({ rules }) => rules.flatMap(({ alert }) => alert ?? []));
const expected = tests.flatMap((test) => test.alert_rule_test ?? []);

describe('rules.test.yaml', () => {
  it.each(alerts)('expects %s to fire, and not to fire', (alert) => {
    const counts = expected.filter(({ alertname }) => alertname === alert).map((each) => each.exp_alerts.length);
    expect(counts).toContain(0);
    expect(counts.filter((count) => count > 0)).not.toEqual([]);
  });

  it('names no unknown alert, which promtool would treat as silent', () => {
    expect(expected.filter(({ alertname }) => !alerts.includes(alertname))).toEqual([]);
  });
});

describe.each(['staging', 'production', 'helm'])('the links of the alerts: %s', (rendering) => {
  it('lead to a section of docs/operating/alerts.md, at an address that a browser opens', () => {
    const rule = readRendered(rendering).objects.find(({ kind }) => kind === 'PrometheusRule')!;
    const links = [...JSON.stringify(rule).matchAll(/"runbook_url":"([^"]*)"/g)].map(([, link]) => new URL(link!));
    expect(links).toHaveLength(alerts.length);
    for (const { protocol, pathname, hash } of links) {
      expect({ protocol, pathname }).toEqual({
        protocol: 'https:',
        pathname: expect.stringMatching(/\/docs\/operating\/alerts\.md$/),
      });
      expect([...page.anchors]).toContain(hash.slice(1));
    }
  });
});

const promtool = findProgram('promtool');

(promtool === undefined ? describe.skip : describe)('promtool', () => {
  const folder = scratchFolder('promtool');

  function ask(args: readonly string[], input = ''): { status: number | null; output: string } {
    const { status, stdout, stderr } = spawnSync(promtool!, args, { cwd: folder, input, encoding: 'utf8' });
    return { status, output: stdout + stderr };
  }

  beforeAll(() => {
    writeFileSync(join(folder, 'rules.yaml'), stringify(spec));
    copyFileSync(path('rules.test.yaml'), join(folder, 'rules.test.yaml'));
  });

  afterAll(() => {
    removeScratch(folder);
  });

  it('finds no fault with the rules', () => {
    expect(ask(['check', 'rules', 'rules.yaml'])).toMatchObject({ status: 0 });
  });

  it('sees each alert fire when it must, and be silent when it must', () => {
    expect(ask(['test', 'rules', 'rules.test.yaml'])).toEqual({
      status: 0,
      output: expect.stringContaining('SUCCESS'),
    });
  }, 300_000);

  it('finds no fault with the metrics of a service that answered some requests', async () => {
    const service = await Service.start({ database: { url: `sqlite:${join(folder, 'store.sqlite')}` } });
    const client = new HttpClient(service.url);
    for (const target of ['/v1/pets', '/v1/pets/1', '/nothing']) await client.get(target);
    const { text } = await new HttpClient(service.managementUrl).get('/metrics');
    await service.stop();
    expect(ask(['check', 'metrics'], text)).toEqual({ status: 0, output: '' });
  });
});
