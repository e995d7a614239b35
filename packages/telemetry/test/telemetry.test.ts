import { type Activity, type LoopEvent, LoopState } from "@ccw-loop/core";
import { describe, expect, test, vi } from "vitest";
import { telemetry } from "../src/index.ts";
import { type CollectedSpan, collector } from "./support/collector.ts";

const T0 = Date.parse("2030-01-01T00:00:00.000Z");
const at = (second: number) => new Date(T0 + second * 1000).toISOString();
const usage = { input_tokens: 100, cached_input_tokens: 40, output_tokens: 7, total_tokens: 107 };

/** As a loop is when it is claimed. */
const loop = (more: object = {}) =>
  LoopState.parse({
    ...{ loop_id: "a", title: "Fix the cart", status: "running" },
    ...{ created_at: at(0), updated_at: at(0), ...more },
  });

const recorded = (event: LoopEvent) =>
  ({ kind: "recorded", id: "a", recorded: { revision: 1, actor: "test", event } }) as const;
const does = (second: number, event: Activity["event"]) =>
  ({ kind: "activity", id: "a", activity: { at: at(second), action: "DEVELOP", event } }) as const;
const started = (second: number, action: "INIT" | "DEVELOP", attempt = 1) =>
  recorded({ type: "action.started", at: at(second), action, attempt, task_id: null, tree: null });
const failed = (second: number) =>
  recorded({
    ...{ type: "action.failed", at: at(second), action: "DEVELOP", task_id: null },
    ...{ message: "no", code: "agent_failed", active_ms: 1 },
  });
const over = (second: number) =>
  recorded({
    ...{ type: "loop.failed", at: at(second) },
    outcome: { code: "max_iterations", message: "m" },
  });

/** Sends to a collector what happens in `play`, as one process, and answers with the spans that it made. */
async function sent(
  to: Awaited<ReturnType<typeof collector>>,
  play: (one: ReturnType<typeof telemetry>) => void,
): Promise<CollectedSpan[]> {
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", to.url);
  vi.stubEnv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=s3cret");
  vi.stubEnv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test");
  const before = to.spans.length;
  const one = telemetry({ version: "1.2.3", say: (text) => expect.unreachable(text) });
  play(one);
  await one.close();
  vi.unstubAllEnvs();
  return to.spans.slice(before);
}

const named = (spans: CollectedSpan[]) => Object.fromEntries(spans.map((one) => [one.name, one]));

describe("a loop's trace", () => {
  test("has its actions, turns and commands, each in the other, with times from the journal", async () => {
    const there = await collector();
    const spans = await sent(there, (one) => {
      one.begin(loop(), 1);
      one.event(started(1, "DEVELOP"));
      one.event(
        recorded({ type: "agent.attached", at: at(1), driver: "codex", session_id: "s-1" }),
      );
      one.event(does(2, { type: "prompt.sent", text: "a secret prompt" }));
      one.event(does(3, { type: "command.started", command: "/usr/bin/curl -H s3cret" }));
      const command = "/usr/bin/curl -H s3cret";
      one.event(does(4, { type: "command.completed", command, exit_code: 22 }));
      one.event(recorded({ type: "turn.completed", at: at(6), ...usage }));
      one.event(failed(7));
      one.event(over(8));
      one.end("a");
    });
    const by = named(spans);
    expect(Object.keys(by)).toEqual([
      ...["execute_tool shell", "invoke_agent codex", "action DEVELOP", "loop"],
    ]);
    const [command, turn, action, root] = spans as [
      CollectedSpan,
      CollectedSpan,
      CollectedSpan,
      CollectedSpan,
    ];
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(command.parentSpanId).toBe(turn.spanId);
    expect(turn.parentSpanId).toBe(action.spanId);
    expect(action.parentSpanId).toBe(root.spanId);
    expect(root.parentSpanId ?? "").toBe("");
    const times = (span: CollectedSpan) =>
      [span.startTimeUnixNano, span.endTimeUnixNano].map(
        (t) => Number(BigInt(t) / 1_000_000n) - T0,
      );
    expect(spans.map(times)).toEqual([
      [3000, 4000],
      [2000, 6000],
      [1000, 7000],
      [0, 8000],
    ]);
    expect(turn.attributes).toEqual({
      "ccw_loop.loop.id": "a",
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": "openai",
      "gen_ai.agent.name": "codex",
      "gen_ai.conversation.id": "s-1",
      "gen_ai.usage.input_tokens": 100,
      "gen_ai.usage.output_tokens": 7,
      "gen_ai.usage.cache_read.input_tokens": 40,
    });
    expect(command.attributes).toMatchObject({
      "process.executable.name": "curl",
      "process.exit.code": 22,
    });
    expect([action.status.code, action.attributes["error.type"]]).toEqual([2, "agent_failed"]);
    expect(JSON.stringify(there.spans)).not.toContain("secret");
    expect(there.resources[0]).toMatchObject({
      "service.name": "ccw-loop",
      "service.version": "1.2.3",
      "deployment.environment.name": "test",
    });
    expect(there.headers[0]?.["x-key"]).toBe("s3cret");
  });

  test("goes on in another process, which ends the action that the first one began", async () => {
    const there = await collector();
    const first = await sent(there, (one) => {
      one.begin(loop(), 1);
      one.event(started(1, "INIT"));
      one.event(does(2, { type: "prompt.sent", text: "" }));
    });
    expect(first).toEqual([]);
    const action = { name: "INIT", attempt: 1, started_at: at(1) };
    const second = await sent(there, (one) => {
      one.begin(loop({ action }), 5);
      one.event(
        recorded({
          ...{ type: "action.interrupted", at: at(9), action: "INIT" },
          ...{ reason: "crash", cause: "crash", active_ms: 0 },
        }),
      );
      one.event(started(9, "INIT", 2));
      one.event(failed(10));
      one.event(over(11));
    });
    const [cut, again, root] = second as [CollectedSpan, CollectedSpan, CollectedSpan];
    expect(cut.attributes).toMatchObject({ "ccw_loop.attempt": 1, "error.type": "crash" });
    expect(again.attributes).toMatchObject({ "ccw_loop.attempt": 2 });
    expect([cut.parentSpanId, again.parentSpanId]).toEqual([root.spanId, root.spanId]);
    expect(cut.spanId).not.toBe(again.spanId);
  });

  test("is another one for a loop of the same name that was made at another time", async () => {
    const there = await collector();
    const spans = await sent(there, (one) => {
      for (const created_at of [at(0), at(1)]) {
        one.begin(loop({ created_at }), 1);
        one.event(over(8));
        one.end("a");
      }
    });
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(2);
  });

  test("is named to what the loop starts, as long as it is driven here", async () => {
    const there = await collector();
    let parent: string | undefined;
    const [root] = await sent(there, (one) => {
      one.begin(loop(), 1);
      parent = one.traceparent("a");
      one.event(over(8));
      one.end("a");
      expect(one.traceparent("a")).toBeUndefined();
    });
    expect(parent).toBe(`00-${root?.traceId}-${root?.spanId}-01`);
  });
});

test("a request is a span in the trace of who asked, where that is recorded", async () => {
  const there = await collector();
  const request = { method: "GET", route: "/api/loops/v2/:id", status: 503, duration_ms: 12 };
  const trace = "0af7651916cd43dd8448eb211c80319c";
  const spans = await sent(there, (one) => {
    for (const flags of ["01", "00", "zz"]) {
      one.answered({ ...request, traceparent: `00-${trace}-b7ad6b7169203331-${flags}` });
    }
    one.answered(request);
  });
  expect(spans).toHaveLength(1);
  expect(spans[0]).toMatchObject({
    traceId: trace,
    parentSpanId: "b7ad6b7169203331",
    name: "GET /api/loops/v2/:id",
    kind: 2,
    attributes: { "http.response.status_code": 503, "error.type": "503" },
  });
});

test("a collector that is not there is told once, and holds up nothing", async () => {
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9");
  vi.stubEnv("OTEL_EXPORTER_OTLP_TIMEOUT", "500");
  const said: string[] = [];
  const one = telemetry({ version: null, say: (text) => void said.push(text) });
  one.begin(loop(), 1);
  one.event(over(8));
  await one.close();
  vi.unstubAllEnvs();
  expect(said).toEqual([expect.stringMatching(/^Traces cannot be sent: .*Loops are driven all/)]);
});
