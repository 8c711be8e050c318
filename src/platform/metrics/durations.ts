import { Histogram, type Metric, type Registry } from 'prom-client';
import { isOptimized } from '../optimizations.js';

type LabelValue = string | number | undefined;

/** A series, by the values of its labels in turn: a text of them would be put together for each observation. */
interface Branch {
  readonly next: Map<LabelValue, Branch>;
  series: Series | undefined;
}

interface Series {
  readonly labels: Readonly<Record<string, string | number>>;
  /** By bucket, those above the last bound at the end; a value is in one of them only. */
  readonly counts: number[];
  sum: number;
}

export interface DurationsOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** Upper bounds in seconds, ascending. */
  readonly buckets: readonly number[];
  readonly registry: Registry;
}

/**
 * A histogram of durations. prom-client's own checks, sorts and joins its labels for each observation, and counts by the
 * text of a bound; there are several observations a request.
 */
export class Durations {
  private root = branch();
  private readonly series: Series[] = [];
  /** In its place where that is turned off. */
  private readonly plain: Histogram | undefined;

  constructor(private readonly options: DurationsOptions) {
    const { registry, labelNames, buckets, ...names } = options;
    if (isOptimized('histograms')) registry.registerMetric(this as unknown as Metric);
    else this.plain = new Histogram({ ...names, labelNames, buckets: [...buckets], registers: [registry] });
  }

  /** The registry finds a metric by its name. */
  get name(): string {
    return this.options.name;
  }

  /** @param labels values in the order of `labelNames`; undefined for a label that is left out. */
  observe(seconds: number, ...labels: readonly LabelValue[]): void {
    if (this.plain !== undefined) return this.plain.observe(this.labelled(labels), seconds);
    let at = this.root;
    for (const value of labels) {
      let next = at.next.get(value);
      if (next === undefined) at.next.set(value, (next = branch()));
      at = next;
    }
    const series = (at.series ??= this.begin(labels));
    series.sum += seconds;
    const { buckets } = this.options;
    let bucket = 0;
    while (bucket < buckets.length && seconds > (buckets[bucket] as number)) bucket++;
    (series.counts[bucket] as number) += 1;
  }

  /** For the registry: the histogram as prom-client has it. */
  async get(): Promise<object> {
    const { name, help } = this.options;
    const values = this.series.flatMap((series) => this.samplesOf(series));
    return Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values });
  }

  /** For the registry: begins anew. */
  reset(): void {
    this.root = branch();
    this.series.length = 0;
  }

  private begin(labels: readonly LabelValue[]): Series {
    const counts = [0, ...this.options.buckets.map(() => 0)];
    const series = { labels: this.labelled(labels), counts, sum: 0 };
    this.series.push(series);
    return series;
  }

  private labelled(labels: readonly LabelValue[]): Series['labels'] {
    const { labelNames } = this.options;
    const given = labelNames.flatMap((name, index) => (labels[index] === undefined ? [] : [[name, labels[index]]]));
    return Object.fromEntries(given) as Series['labels'];
  }

  private samplesOf({ labels, counts, sum }: Series): object[] {
    const { name, buckets } = this.options;
    let value = 0;
    const samples: object[] = counts.map((count, at) => {
      const le = buckets[at] ?? '+Inf';
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: (value += count) };
    });
    samples.push({ metricName: `${name}_sum`, labels, value: sum }, { metricName: `${name}_count`, labels, value });
    return samples;
  }
}

const branch = (): Branch => ({ next: new Map(), series: undefined });
