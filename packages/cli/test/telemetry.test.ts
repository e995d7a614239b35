import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { BIN } from "./support/bin.ts";
import { plan, project, stateOf, write } from "./support/project.ts";
import { serving } from "./support/serve-process.ts";

interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
}

async function collector() {
  const spans: Span[] = [];
  const metrics: { name: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const { resourceSpans = [], resourceMetrics = [] } = JSON.parse(body);
    for (const { scopeSpans } of resourceSpans)
      for (const of of scopeSpans) spans.push(...of.spans);
    for (const { scopeMetrics } of resourceMetrics)
      for (const of of scopeMetrics) metrics.push(...of.metrics);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, metrics };
}

test("run sends a trace where the environment names a collector, and tests get its place in it", async () => {
  await using here = await project(plan, write("42"));
  const there = await collector();
  const seen = join(tmpdir(), `ccw-traceparent-${process.pid}`);
  const check = readFileSync(join(here.dir, "check.mjs"), "utf8");
  const tell = `import { writeFileSync } from "node:fs";
writeFileSync(${JSON.stringify(seen)}, process.env.TRACEPARENT ?? "none");
`;
  writeFileSync(join(here.dir, "check.mjs"), tell + check);
  const env = { ...process.env, HOME: here.dir, OTEL_EXPORTER_OTLP_ENDPOINT: there.url };
  const args = [BIN, "run", "x", "--auto", "--loop-id", "a", "--create", ...here.flags];
  const child = spawn(process.execPath, args, { cwd: here.dir, env, stdio: "ignore" });
  await once(child, "exit");
  expect((await stateOf(here, "a")).status).toBe("completed");
  const names = there.spans.map(({ name }) => name);
  for (const action of ["INIT", "DEVELOP", "VALIDATE", "COMPLETE"]) {
    expect(names).toContain(`action ${action}`);
  }
  expect(names).toContain("invoke_agent scripted");
  for (const cell of ["baseline", "present", "verdict"]) expect(names).toContain(`tests ${cell}`);
  const [root, ...others] = there.spans.filter(({ parentSpanId = "" }) => parentSpanId === "");
  expect([root?.name, others]).toEqual(["loop", []]);
  expect(new Set(there.spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(readFileSync(seen, "utf8")).toBe(`00-${root?.traceId}-${root?.spanId}-01`);
});

test("serve sends what /metrics prints where the environment names a collector, at its end too", async () => {
  await using here = await project(plan);
  const there = await collector();
  vi.stubEnv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", `${there.url}/v1/metrics`);
  const { child, url, token } = await serving(here.dir);
  vi.unstubAllEnvs();
  const printed = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  const names = (await printed.text()).match(/(?<=^# TYPE )\S+/gm);
  expect(names).toContain("ccw_loop_loops");
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await gone;
  expect(there.metrics.map(({ name }) => name)).toEqual(names);
});
