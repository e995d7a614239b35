import { SpanKind, SpanStatusCode, TraceFlags } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, type ReadableSpan } from "@opentelemetry/sdk-trace";
import type { SpanRecord } from "./span.ts";

type Resource = ReadableSpan["resource"];

const KINDS = {
  internal: SpanKind.INTERNAL,
  client: SpanKind.CLIENT,
  server: SpanKind.SERVER,
} as const;

/** What sends: in batches, and bounded. All of it is set by the standard variables of the environment. */
export interface Exporter {
  send(span: SpanRecord): void;
  /** Sends what there is, for as long as the variables allow. */
  close(): Promise<void>;
}

/** `failed` is told why, as often as it happens. */
export function openExporter(version: string | null, failed: (why: string) => void): Exporter {
  const resource = resourceOf(version);
  const otlp = new OTLPTraceExporter();
  const processor = new BatchSpanProcessor({
    exporter: {
      export: (spans, done) =>
        otlp.export(spans, (result) => {
          if (result.error) failed(result.error.message);
          done(result);
        }),
      shutdown: () => otlp.shutdown(),
      forceFlush: () => otlp.forceFlush(),
    },
  });
  return {
    send: (span) => processor.onEnd(readable(span, resource, version)),
    close: () => processor.shutdown(),
  };
}

/** The operator's own words about it win. */
export function resourceOf(version: string | null): Resource {
  const own = resourceFromAttributes({
    "service.name": "ccw-loop",
    ...(version === null ? {} : { "service.version": version }),
  });
  return own.merge(detectResources({ detectors: [envDetector] }));
}

function readable(span: SpanRecord, resource: Resource, version: string | null): ReadableSpan {
  const { traceId, id, parent, name, kind, start, end, attributes } = span;
  const context = (spanId: string) => ({ traceId, spanId, traceFlags: TraceFlags.SAMPLED });
  const hasFailed = attributes["error.type"] !== undefined;
  return {
    name,
    kind: KINDS[kind],
    spanContext: () => context(id),
    ...(parent === null ? {} : { parentSpanContext: context(parent) }),
    startTime: hrTime(start),
    endTime: hrTime(end),
    duration: hrTime(end - start),
    ended: true,
    status: { code: hasFailed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes,
    links: [],
    events: [],
    resource,
    instrumentationScope: { name: "ccw-loop", ...(version === null ? {} : { version }) },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

export function hrTime(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}

/** How long the end of this process may wait for the collector, in milliseconds. */
const CLOSE_MS = 5000;

/** Waits for the last sending, for a short time. Failures are told elsewhere. */
export async function closing(sent: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, CLOSE_MS);
  await Promise.race([sent.catch(() => undefined), late]);
  clearTimeout(timer);
}
