import { diag } from '@opentelemetry/api';
import { getNumberFromEnv, getStringFromEnv, getStringListFromEnv } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
  type Resource,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ConsoleSpanExporter,
  ParentBasedSampler,
  SimpleSpanProcessor,
  TraceIdRatioBasedSampler,
  type BatchSpanProcessorOptions,
  type Sampler,
  type SpanExporter,
  type SpanLimits,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace';
import { randomUUID } from 'node:crypto';
import type { Log } from '../logging/index.js';
import { ReportingExporter } from './tracing-log.js';

/*
 * Applies the OTEL_ variables to the parts of the SDK that do not read them. The package sdk-node would do so, but
 * needs gRPC, Zipkin and three times the memory; see docs/decisions/0016-tracing.md. An unusable value is ignored with
 * a warning (OpenTelemetry, "Environment variable specification").
 */

/**
 * The attributes that identify the process. OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES add to them and override
 * them.
 */
export function resourceOf(version: string): Resource {
  const own = resourceFromAttributes({
    'service.name': 'animal-store',
    'service.version': version,
    'service.instance.id': randomUUID(),
  });
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }));
}

/**
 * The sampler of OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG. Undefined: the default of the SDK, which follows the
 * caller and otherwise samples everything.
 */
export function samplerOf(): Sampler | undefined {
  const name = getStringFromEnv('OTEL_TRACES_SAMPLER');
  if (name === undefined) return undefined;
  const [, followsCaller, rootName = ''] = /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(name) ?? [];
  const root = ROOT_SAMPLERS[rootName]?.();
  if (root === undefined) diag.warn(`OTEL_TRACES_SAMPLER is unknown and left out: '${name}'`);
  return root !== undefined && followsCaller !== undefined ? new ParentBasedSampler({ root }) : root;
}

const ROOT_SAMPLERS: Readonly<Record<string, () => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: () => new TraceIdRatioBasedSampler(getNumberFromEnv('OTEL_TRACES_SAMPLER_ARG') ?? 1),
};

export function spanLimitsOf(): SpanLimits {
  return {
    attributeCountLimit: number('OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT') ?? number('OTEL_ATTRIBUTE_COUNT_LIMIT'),
    attributeValueLengthLimit:
      number('OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT') ?? number('OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT'),
    eventCountLimit: number('OTEL_SPAN_EVENT_COUNT_LIMIT'),
    linkCountLimit: number('OTEL_SPAN_LINK_COUNT_LIMIT'),
    attributePerEventCountLimit: number('OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT'),
    attributePerLinkCountLimit: number('OTEL_LINK_ATTRIBUTE_COUNT_LIMIT'),
  } as SpanLimits;
}

/**
 * The processors of OTEL_TRACES_EXPORTER: `otlp`, `console`, `none`. `otlp` also uses OTEL_BSP_ variables and the
 * protocol.
 */
export async function spanProcessorsOf(log: Log): Promise<SpanProcessor[]> {
  const processors: SpanProcessor[] = [];
  for (const name of new Set(getStringListFromEnv('OTEL_TRACES_EXPORTER') ?? ['otlp'])) {
    if (name === 'otlp') processors.push(inBatches(new ReportingExporter(await otlpExporter(), log)));
    else if (name === 'console') processors.push(new SimpleSpanProcessor({ exporter: new ConsoleSpanExporter() }));
    else if (name !== 'none') diag.warn(`OTEL_TRACES_EXPORTER is unknown and left out: '${name}'`);
  }
  return processors;
}

/** The exporters read their address, headers and certificates themselves, from OTEL_EXPORTER_OTLP_ variables. */
async function otlpExporter(): Promise<SpanExporter> {
  const protocol =
    getStringFromEnv('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? getStringFromEnv('OTEL_EXPORTER_OTLP_PROTOCOL');
  if (protocol === 'http/json') {
    const json = await import('@opentelemetry/exporter-trace-otlp-http');
    return new json.OTLPTraceExporter();
  }
  if (protocol !== undefined && protocol !== 'http/protobuf') {
    diag.warn(`OTEL_EXPORTER_OTLP_PROTOCOL is none that is spoken here, so http/protobuf is: '${protocol}'`);
  }
  return new OTLPTraceExporter();
}

function inBatches(exporter: SpanExporter): SpanProcessor {
  return new BatchSpanProcessor({
    exporter,
    maxQueueSize: number('OTEL_BSP_MAX_QUEUE_SIZE'),
    scheduledDelayMillis: number('OTEL_BSP_SCHEDULE_DELAY'),
    exportTimeoutMillis: number('OTEL_BSP_EXPORT_TIMEOUT'),
    maxExportBatchSize: number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE'),
  } as BatchSpanProcessorOptions);
}

/** A positive number, or undefined if the variable is unset or unusable. The SDK then uses its default. */
function number(name: string): number | undefined {
  const value = getNumberFromEnv(name);
  if (value === undefined || value > 0) return value;
  diag.warn(`${name} must be greater than 0 and is left out`);
  return undefined;
}
