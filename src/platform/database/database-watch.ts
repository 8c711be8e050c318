import type { Metrics } from '../metrics/index.js';
import { summaryOf } from './statement-summary.js';

/** Counts what a database adapter does, in the metrics of the service. */
export class DatabaseWatch {
  constructor(
    private readonly metrics: Metrics | undefined,
    private readonly system: string,
    private readonly namespace: string,
  ) {}

  /** @param code the engine's error code where the statement failed. */
  ran(sql: string, startedAt: number, code?: string): void {
    if (this.metrics === undefined) return;
    const { operation, collection } = summaryOf(sql);
    this.metrics.databaseDuration.observe(
      {
        db_system_name: this.system,
        db_namespace: this.namespace,
        db_operation_name: operation,
        db_collection_name: collection,
        ...(code === undefined ? {} : { db_response_status_code: code, error_type: code }),
      },
      (performance.now() - startedAt) / 1000,
    );
  }

  retried(code: string): void {
    this.metrics?.databaseRetries.inc({ code });
  }
}
