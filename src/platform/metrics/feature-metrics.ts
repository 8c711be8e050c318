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

/** Milliseconds that a `collect` may take: a scrape waits for all of them. */
const COLLECT_TIMEOUT_MS = 1500;

type Collect<Metric> = (this: Metric) => void | Promise<void>;

/**
 * Metrics of a feature's own, at /metrics beside those of the platform. Each is made once, in the constructor of a
 * provider; its name begins with the feature's in snake case: `pet_toys_lost_total`.
 *
 * @throws {Error} for another name, and for one that there is already.
 */
export class FeatureMetrics {
  /** Features by what the names of their metrics begin with, the longest first: one may begin with another. */
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

  /** One that fails, or does not end in time, leaves its metric as it is and the others alone. */
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
