import {
  Counter,
  Gauge,
  Histogram,
  type CounterConfiguration,
  type GaugeConfiguration,
  type HistogramConfiguration,
  type Registry,
} from 'prom-client';
import { inTime } from '../time.js';
import type { Log } from '../logging/index.js';

/** Limit of one `collect`, because a scrape waits for all of them. Milliseconds. */
const COLLECT_TIMEOUT_MS = 1500;

type Collect<Metric> = (this: Metric) => void | Promise<void>;

/**
 * Creates the metrics of features, which /metrics returns beside those of the platform. Create each metric once, in the
 * constructor of a provider. Its name begins with the name of the feature in snake case: `pet_toys_lost_total`.
 *
 * @throws {Error} if the name begins otherwise, or if a metric with this name exists.
 */
export class FeatureMetrics {
  /** Features by the prefix of their metrics, the longest prefix first, because one may begin with another. */
  private readonly prefixes: readonly (readonly [prefix: string, feature: string])[];

  /** @internal */
  constructor(
    private readonly registry: Registry,
    private readonly log: Log,
    features: readonly string[],
  ) {
    const prefixes = features.map((feature) => [`${feature.replaceAll('-', '_')}_`, feature] as const);
    this.prefixes = prefixes.sort(([a], [b]) => b.length - a.length);
  }

  counter<T extends string = string>(configuration: Omit<CounterConfiguration<T>, 'registers'>): Counter<T> {
    return new Counter({ ...configuration, ...this.owned(configuration) });
  }

  gauge<T extends string = string>(configuration: Omit<GaugeConfiguration<T>, 'registers'>): Gauge<T> {
    return new Gauge({ ...configuration, ...this.owned(configuration) });
  }

  histogram<T extends string = string>(configuration: Omit<HistogramConfiguration<T>, 'registers'>): Histogram<T> {
    return new Histogram({ ...configuration, ...this.owned(configuration) });
  }

  private owned<Metric>({ name, collect }: { name: string; collect?: Collect<Metric> }) {
    const feature = this.prefixes.find(([prefix]) => name.startsWith(prefix))?.[1];
    if (feature === undefined) {
      const prefixes = this.prefixes.map(([prefix]) => prefix).join(', ');
      throw new Error(`metric '${name}' does not begin with the name of a feature that is started: ${prefixes}`);
    }
    if (this.registry.getSingleMetric(name) !== undefined) {
      throw new Error(`metric '${name}' was made already; make it once, in the constructor of one provider`);
    }
    const registers = [this.registry];
    return collect === undefined ? { registers } : { registers, collect: this.watched(feature, name, collect) };
  }

  /** If `collect` fails or does not end in time, its metric keeps its value, and the other metrics are collected. */
  private watched<Metric>(feature: string, metric: string, collect: Collect<Metric>): Collect<Metric> {
    const { log } = this;
    return async function (this: Metric): Promise<void> {
      try {
        const ended = Promise.resolve(collect.call(this)).then(() => true);
        if (!(await inTime(COLLECT_TIMEOUT_MS, ended)))
          throw new Error(`It did not end within ${COLLECT_TIMEOUT_MS} ms`);
      } catch (error) {
        log.error({ event: 'metric.failed', feature, metric, err: error }, 'A metric could not be collected');
      }
    };
  }
}
