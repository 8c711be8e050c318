import { expect, it } from '@jest/globals';
import { Metrics } from './metrics.js';

// The rules of promtool's `check metrics`. test/documents/alerts.spec.ts runs promtool itself.
it('names each metric by the rules of Prometheus', async () => {
  const { registry } = new Metrics('1.0.0', 'abc');
  const metrics = await registry.getMetricsAsJSON();
  expect(metrics.length).toBeGreaterThan(30);
  for (const { name, help, type } of metrics) {
    expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
    expect(help).toMatch(/\S/);
    // prom-client has the type in lower case.
    expect([name, name.endsWith('_total')]).toEqual([name, String(type) === 'counter']);
    expect(name).not.toMatch(/_(count|sum|bucket)$(?<!^db_client_connection_count)/);
    expect(name).not.toMatch(/_(milliseconds|ms|minutes|kilobytes|megabytes|percent)(_|$)|counter|histogram|gauge/);
    if (String(type) === 'histogram') expect(name).toMatch(/_seconds$/);
  }
});

it('tells how busy the loop was since it was asked last', async () => {
  const { registry } = new Metrics('1.0.0', 'abc');
  const until = performance.now() + 50;
  while (performance.now() < until);
  const [first] = (await registry.getSingleMetric('nodejs_eventloop_utilization')!.get()).values;
  expect(first?.value).toBeGreaterThan(0);
  expect(first?.value).toBeLessThanOrEqual(1);
});

it('begins anew where the registry says so', async () => {
  const { registry, databaseDuration } = new Metrics('1.0.0', 'abc');
  const count = async (): Promise<string | undefined> => {
    return /^db_client_operation_duration_seconds_count\S* (\d+)$/m.exec(await registry.metrics())?.[1];
  };
  databaseDuration.observe({ db_system_name: 'sqlite' }, 0.1);
  databaseDuration.observe({ db_system_name: 'sqlite' }, 0.1);
  expect(await count()).toBe('2');
  registry.resetMetrics();
  expect(await count()).toBeUndefined();
  databaseDuration.observe({ db_system_name: 'sqlite' }, 0.1);
  expect(await count()).toBe('1');
});
