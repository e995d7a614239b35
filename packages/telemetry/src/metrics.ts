import { ValueType } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { closing, hrTime, resourceOf } from "./export.ts";
import type { TelemetryOptions } from "./telemetry.ts";

/** A measure as the API has it for `/metrics`. */
export type Metric = { name: string; help: string } & (
  | { type: "counter" | "gauge"; samples: readonly Sample<number>[] }
  | { type: "histogram"; samples: readonly Sample<Durations>[] }
);

interface Sample<T> {
  labels: Readonly<Record<string, string>>;
  value: T;
}

/** How many durations were at most as long as each bound, and all of them. */
interface Durations {
  bounds: readonly number[];
  atMost: readonly number[];
  sum: number;
  count: number;
}

export interface MetricsOptions extends TelemetryOptions {
  /** The measures of each project, as they are now. */
  read: () => Promise<readonly { project: string; metrics: readonly Metric[] }[]>;
}

/**
 * Sends the measures every minute, or as often as OTEL_METRIC_EXPORT_INTERVAL says, and once more when it is closed. Where to,
 * the standard variables of the environment say.
 */
export function sendMetrics({ version, say, read }: MetricsOptions): { close(): Promise<void> } {
  const startTime = hrTime(Date.now());
  const resource = resourceOf(version);
  const scope = { name: "ccw-loop", ...(version === null ? {} : { version }) };
  const otlp = new OTLPMetricExporter();
  let told = "";
  const given = Number(process.env.OTEL_METRIC_EXPORT_INTERVAL);
  const reader = new PeriodicExportingMetricReader({
    ...(given > 0 ? { exportIntervalMillis: given } : {}),
    exporter: {
      export: (all, done) =>
        otlp.export(all, (result) => {
          const why = result.error?.message ?? "";
          if (why !== "" && why !== told) say(`Metrics cannot be sent: ${why}.`);
          told = why;
          done(result);
        }),
      shutdown: () => otlp.shutdown(),
      forceFlush: () => otlp.forceFlush(),
    },
  });
  reader.setMetricProducer({
    async collect() {
      const endTime = hrTime(Date.now());
      const all = (await read()).flatMap(({ project, metrics }) =>
        metrics.map((metric) => dataOf(metric, { project, startTime, endTime })),
      );
      const scopeMetrics = [{ scope, metrics: joined(all) }];
      return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
    },
  });
  return { close: () => closing(reader.shutdown()) };
}

type Time = ReturnType<typeof hrTime>;

function dataOf(
  { name, help, ...metric }: Metric,
  { project, ...times }: { project: string; startTime: Time; endTime: Time },
): MetricData {
  const unit = name.endsWith("_seconds") ? "s" : "1";
  const base = {
    descriptor: { name, description: help, unit, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const points = <T, V>(samples: readonly Sample<T>[], toValue: (value: T) => V) =>
    samples.map(({ labels, value }) => ({
      ...{ ...times, value: toValue(value) },
      attributes: { ...labels, "ccw_loop.project": project },
    }));
  switch (metric.type) {
    case "histogram": {
      const dataPoints = points(metric.samples, bucketsOf);
      return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints };
    }
    case "counter": {
      const dataPoints = points(metric.samples, Number);
      return { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
    }
    case "gauge": {
      const dataPoints = points(metric.samples, Number);
      return { ...base, dataPointType: DataPointType.GAUGE, dataPoints };
    }
  }
}

/** Prometheus counts up to each bound, OpenTelemetry between two of them. */
function bucketsOf({ bounds, atMost, sum, count }: Durations) {
  const counts = [...atMost, count].map((upTo, at) => upTo - (atMost[at - 1] ?? 0));
  return { buckets: { boundaries: [...bounds], counts }, sum, count };
}

/** One of each name, with the points of all projects. */
function joined(all: readonly MetricData[]): MetricData[] {
  return [...Map.groupBy(all, ({ descriptor }) => descriptor.name).values()].map((same) => {
    const dataPoints = same.flatMap((one): unknown[] => one.dataPoints);
    return { ...same[0], dataPoints } as MetricData;
  });
}
