import { expect, test, vi } from "vitest";
import { type Metric, sendMetrics } from "../src/index.ts";
import { collector } from "./support/collector.ts";

const loops = (running: number): Metric => ({
  ...{ name: "ccw_loop_loops", type: "gauge", help: "Loops by status." },
  samples: [{ labels: { status: "running" }, value: running }],
});
const measures: Metric[] = [
  loops(3),
  {
    ...{ name: "ccw_loop_http_requests_total", type: "counter", help: "Requests." },
    samples: [{ labels: { route: "/api/health", status: "200" }, value: 7 }],
  },
  {
    ...{ name: "ccw_loop_http_request_duration_seconds", type: "histogram", help: "Time." },
    samples: [
      { labels: {}, value: { bounds: [0.01, 0.1, 1], atMost: [2, 5, 5], sum: 9.5, count: 7 } },
    ],
  },
];

test("measures are sent under the names of /metrics, with their project, when it is closed at the latest", async () => {
  const there = await collector();
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", there.url);
  vi.stubEnv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test");
  const projects = [
    { project: "shop", metrics: measures },
    { project: "bank", metrics: [loops(1)] },
  ];
  const say = (text: string) => expect.unreachable(text);
  await sendMetrics({ version: "1.2.3", say, read: async () => projects }).close();
  vi.unstubAllEnvs();

  expect(there.resources).toMatchObject([
    { "service.name": "ccw-loop", "deployment.environment.name": "test" },
  ]);
  const running = { status: "running" };
  expect(there.points).toMatchObject([
    { name: "ccw_loop_loops", kind: "gauge", asDouble: 3, attributes: { ...running } },
    { name: "ccw_loop_loops", attributes: { ...running, "ccw_loop.project": "bank" }, asDouble: 1 },
    {
      ...{ name: "ccw_loop_http_requests_total", kind: "sum", monotonic: true, asDouble: 7 },
      attributes: { route: "/api/health", status: "200", "ccw_loop.project": "shop" },
    },
    {
      ...{ name: "ccw_loop_http_request_duration_seconds", kind: "histogram" },
      ...{ count: 7, sum: 9.5, explicitBounds: [0.01, 0.1, 1], bucketCounts: [2, 3, 0, 2] },
    },
  ]);
  expect(there.points).toHaveLength(4);
});

test("measures are sent again and again, as they are then, and all since the same start", async () => {
  const there = await collector();
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", there.url);
  vi.stubEnv("OTEL_METRIC_EXPORT_INTERVAL", "20");
  let count = 0;
  const read = async () => [{ project: "shop", metrics: [loops(++count)] }];
  const sending = sendMetrics({ version: null, say: (text) => expect.unreachable(text), read });
  await vi.waitFor(() => expect(there.points.length).toBeGreaterThanOrEqual(2));
  await sending.close();
  vi.unstubAllEnvs();
  const [first, second] = there.points;
  expect([first?.asDouble, second?.asDouble]).toEqual([1, 2]);
  expect(new Set(there.points.map((point) => point.startTimeUnixNano)).size).toBe(1);
  expect(Number(second?.timeUnixNano)).toBeGreaterThan(Number(first?.timeUnixNano));
});

test("a collector that is not there is told once, and holds up nothing", async () => {
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9");
  vi.stubEnv("OTEL_EXPORTER_OTLP_TIMEOUT", "500");
  const said: string[] = [];
  const read = async () => [{ project: "shop", metrics: measures }];
  await sendMetrics({ version: null, say: (text) => void said.push(text), read }).close();
  vi.unstubAllEnvs();
  expect(said).toEqual([expect.stringMatching(/^Metrics cannot be sent: /)]);
});
