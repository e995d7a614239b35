import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

interface Value {
  stringValue?: string;
  intValue?: number;
  doubleValue?: number;
  boolValue?: boolean;
}
interface Pair {
  key: string;
  value: Value;
}

/** A span as OTLP has it in JSON, with its attributes as an object. */
export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status: { code: number };
  attributes: Record<string, unknown>;
}

/** A point of a metric, likewise, with its name. */
export interface CollectedPoint {
  name: string;
  kind: "sum" | "gauge" | "histogram";
  monotonic: boolean;
  attributes: Record<string, unknown>;
  startTimeUnixNano: string;
  timeUnixNano: string;
  asDouble?: number;
  count?: number;
  sum?: number;
  explicitBounds?: number[];
  bucketCounts?: number[];
}

/** A collector that keeps what is sent to it. Gone after the test. */
export async function collector() {
  const spans: CollectedSpan[] = [];
  const points: CollectedPoint[] = [];
  const resources: Record<string, unknown>[] = [];
  const headers: NodeJS.Dict<string | string[]>[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    headers.push(request.headers);
    const { resourceSpans = [], resourceMetrics = [] } = JSON.parse(body);
    for (const of of [...resourceSpans, ...resourceMetrics]) {
      resources.push(objectOf(of.resource.attributes));
      for (const { spans: sent = [], metrics = [] } of of.scopeSpans ?? of.scopeMetrics) {
        for (const one of sent) spans.push({ ...one, attributes: objectOf(one.attributes) });
        for (const metric of metrics) points.push(...pointsOf(metric));
      }
    }
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, spans, points, resources, headers };
}

type Kinds = Partial<Record<CollectedPoint["kind"], { isMonotonic?: boolean; dataPoints: [] }>>;

function pointsOf({ name, sum, gauge, histogram }: Kinds & { name: string }): CollectedPoint[] {
  return Object.entries({ sum, gauge, histogram }).flatMap(([kind, of]) =>
    (of?.dataPoints ?? []).map((point: CollectedPoint & { attributes: Pair[] }) => ({
      ...point,
      ...{ name, kind: kind as CollectedPoint["kind"], monotonic: of?.isMonotonic ?? false },
      attributes: objectOf(point.attributes),
    })),
  );
}

function objectOf(pairs: Pair[]): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));
}
