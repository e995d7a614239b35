import type { LiveEvent, RecordedEvent } from "@ccw-loop/core";
import { describe, expect, it, vi } from "vitest";
import { ONE_TASK } from "../agent/script-schema.ts";
import type { ServiceTest, ServiceTestOptions, ServiceWith } from "./harness.ts";

/** DEVELOP that hangs the first time, behind a sentence, and then does its task. */
const HANGS: NonNullable<ServiceTestOptions["turns"]> = [
  {
    action: "DEVELOP",
    when: "# ACTION: DEVELOP",
    once: true,
    steps: [{ say: "thinking" }, { hang: true }],
  },
  ...ONE_TASK,
];

/** Waits to be told to hurry. */
const STEERED: NonNullable<ServiceTestOptions["turns"]> = [
  {
    action: "DEVELOP",
    when: "# ACTION: DEVELOP",
    steps: [
      { say: "thinking" },
      { expect_steer: "hurry" },
      { write: { path: "flag.js", content: "1" } },
    ],
    answer: { message: "done", state_updates: { summary: "hurried" } },
  },
  ...ONE_TASK,
];

/** Runs loop `a`, new unless it is there; `thinking` resolves when its agent begins to think. */
function running({ service }: ServiceTest, options: { onAbort?: "release" } = {}) {
  const seen: LiveEvent[] = [];
  const abort = new AbortController();
  const thinking = Promise.withResolvers<void>();
  const onEvent = (live: LiveEvent) => {
    seen.push(live);
    if (live.kind !== "activity") return;
    const { event } = live.activity;
    if (event.type === "message.delta" && event.text.includes("thinking")) thinking.resolve();
  };
  const run = service.run("a", { signal: abort.signal, onEvent, ...options });
  run.catch(thinking.reject);
  return { run, seen, abort, thinking: thinking.promise };
}

/** A new loop `a` whose agent thinks by now. */
async function thinking(bench: ServiceTest, options: { onAbort?: "release" } = {}) {
  await bench.make({ id: "a" });
  const begun = running(bench, options);
  await begun.thinking;
  return begun;
}

function journal({ store }: ServiceTest): Promise<RecordedEvent[]> {
  return Array.fromAsync(store.events("a"));
}

export function describeRun(serviceWith: ServiceWith): void {
  const driven = serviceWith({ drives: true });
  const hanging = serviceWith({ drives: true, turns: HANGS });

  describe("run", () => {
    it("starts a loop, drives it to its end, and tells every fact once and in order", () =>
      driven(async (bench) => {
        const { service, make } = bench;
        await make({ id: "a" });
        const { run, seen } = running(bench);
        const state = await run;
        expect(state).toMatchObject({ status: "completed", outcome: { code: "proven" } });
        expect(await service.get("a")).toEqual(state);
        const facts = seen.flatMap((live) => (live.kind === "recorded" ? [live.recorded] : []));
        expect(facts).toEqual((await journal(bench)).slice(1));
        const said = seen.flatMap((live) => (live.kind === "activity" ? [live.activity] : []));
        const logged = await Array.fromAsync(service.activity("a"));
        expect(said.map(({ event }) => event)).toEqual(logged.map(({ event }) => event));
        expect(said.map(({ event }) => event.type)).toContain("prompt.sent");
        await service.delete("a");
      }));

    it("asks nobody about a loop that does not say that a person chooses", () =>
      driven(async ({ service }) => {
        const choose = () => Promise.reject(new TypeError("Somebody was asked."));
        const { loop_id: id } = await service.create({
          description: "Add a flag",
          settings: { expect: "unchanged" },
        });
        await service.send(id, { type: "start" });
        expect(await service.run(id, { choose })).toMatchObject({
          status: "completed",
          skill_state: { mode: "auto" },
        });
      }));

    it("is refused for a loop that has ended", () =>
      driven(async ({ service, make }) => {
        await make({ id: "a" });
        await service.send("a", { type: "stop" });
        await expect(service.run("a")).rejects.toMatchObject({
          code: "invalid_transition",
          message: expect.stringContaining("has ended: stopped. "),
          details: { status: "failed", outcome: "stopped_by_user" },
        });
      }));

    it("pauses with the reason of its signal, and answers when nobody drives the loop", () =>
      hanging(async (bench) => {
        const { service } = bench;
        const { run, abort } = await thinking(bench);
        abort.abort("it is late");
        expect(await run).toMatchObject({ status: "paused" });
        const paused = (await journal(bench)).find(({ event }) => event.type === "loop.paused");
        expect(paused?.event).toMatchObject({ reason: "it is late" });
        expect((await service.why("a")).driven_by).toBeNull();
        expect((await service.run("a")).status).toBe("completed");
      }));

    it("leaves the loop running for somebody else when it is to be released", () =>
      hanging(async (bench) => {
        const { service } = bench;
        const { run, abort } = await thinking(bench, { onAbort: "release" });
        abort.abort("moving");
        expect(await run).toMatchObject({ status: "running" });
        expect((await service.get("a")).status).toBe("running");
        await service.send("a", { type: "stop" });
      }));

    it("ends with the loop when somebody else stops it", () =>
      hanging(async (bench) => {
        const { service } = bench;
        const { run } = await thinking(bench);
        await service.send("a", { type: "stop", reason: "enough" });
        expect(await run).toMatchObject({
          status: "failed",
          outcome: { code: "stopped_by_user" },
        });
      }));

    it("ends with the loop when a limit is reached", () =>
      driven(async ({ service, make }) => {
        await make({ id: "a", max_iterations: 1 });
        expect(await service.run("a")).toMatchObject({
          status: "failed",
          outcome: { code: "max_iterations" },
        });
      }));

    it("returns a loop that waits for a usage limit when it is not to wait itself", () =>
      serviceWith({
        drives: true,
        turns: [
          {
            repeat: true,
            steps: [{ fail: { code: "usage_limit", message: "later", resets_in: 3600 } }],
          },
        ],
      })(async ({ service, make }) => {
        await make({ id: "a" });
        const state = await service.run("a", { waitForLimits: false });
        expect(state).toMatchObject({ status: "running", waiting: { kind: "usage_limit" } });
        await service.send("a", { type: "stop" });
      }));

    it("waits for a usage limit to be lifted", () =>
      serviceWith({
        drives: true,
        turns: [
          { once: true, steps: [{ fail: { code: "usage_limit", resets_in: 0.2 } }] },
          ...ONE_TASK,
        ],
      })(async ({ service, make }) => {
        await make({ id: "a" });
        expect((await service.run("a")).status).toBe("completed");
      }));

    it("of a loop that is driven already is refused, or goes on with it, as the service says", () =>
      hanging(async (bench) => {
        const { service, harness } = bench;
        const { run } = await thinking(bench);
        const second = service.run("a");
        if (harness.joins) {
          await service.send("a", { type: "stop" });
          expect(await second).toMatchObject({ outcome: { code: "stopped_by_user" } });
        } else {
          await expect(second).rejects.toMatchObject({ code: "loop_busy" });
          await service.send("a", { type: "stop" });
        }
        await run;
      }));
  });

  describe("steer", () => {
    it("says a line to the agent in the middle of a turn", () =>
      serviceWith({ drives: true, turns: STEERED })(async (bench) => {
        const { service } = bench;
        const { run } = await thinking(bench);
        await vi.waitFor(() => service.steer("a", 'hurry up: "now"\n'));
        expect((await run).status).toBe("completed");
      }));

    it("is refused when no turn runs", () =>
      serviceWith()(async ({ service, make }) => {
        await make({ id: "a" });
        await expect(service.steer("a", "hurry")).rejects.toMatchObject({
          code: "invalid_input",
          message: expect.stringContaining("No turn of loop a runs"),
        });
      }));
  });
}
