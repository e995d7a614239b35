import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type LoopState, Usage, Waiting } from "@ccw-loop/core";
import { limitLines, nextCommands, painter, waitingText } from "@ccw-loop/view";
import { expect, test, vi } from "vitest";
import { outcomeText } from "../src/output/outcome.ts";
import { frameOf } from "../src/output/run-view.ts";
import { loopTable } from "../src/output/tables.ts";
import { after, loop } from "./support/events.ts";
import { fakeIo } from "./support/fake-io.ts";
import { findCause, plan, project, stateOf, write } from "./support/project.ts";

const paint = painter(false);
const hint = (text: string) => text;
const parts = { stateFile: (id: string) => `/project/.workflow/.loop/${id}.json` };
const inTenMinutes = () => new Date(Date.now() + 10 * 60_000).toISOString();
const limited = (): LoopState => ({
  ...loop,
  waiting: Waiting.parse({ kind: "usage_limit", since: loop.created_at, until: inTenMinutes() }),
});

test("a usage limit is counted down in every view", () => {
  const state = limited();
  const left = /in (10m|9m 5\ds)/;
  expect(outcomeText(state, { parts, paint, hint })).toMatch(left);
  const page = { loops: [{ state, revision: 1 }], total: 1, damaged: [], undriven: [] };
  expect(loopTable(page, {}, { io: fakeIo(), paint, hint } as never)).toMatch(
    /running, goes on in (10m|9m 5\ds)/,
  );
  const lines = frameOf({ ...after(), state }, new Date(), 40).map(({ text }) => text);
  expect(lines.join("\n")).toMatch(left);
  expect(nextCommands(state)).toContain("ccw-loop resume cart --now");
});

test("a paused loop is not said to go on by itself", () => {
  const state = { ...limited(), status: "paused" as const };
  const page = { loops: [{ state, revision: 1 }], total: 1, damaged: [], undriven: [] };
  const table = loopTable(page, {}, { io: fakeIo(), paint, hint } as never);
  expect(table).toContain("paused, waits");
  expect(table).not.toContain("goes on");
  expect(outcomeText(state, { parts, paint, hint })).toMatch(/^Paused: /);
  const lines = frameOf({ ...after(), state }, new Date(), 40).map(({ text }) => text);
  expect(lines.join("\n")).toContain("Waits for usage limit until");
  expect(lines.join("\n")).not.toMatch(/\(in /);
});

test("a limit that is due says so, and a log keeps the moment alone", () => {
  const until = "2026-01-22T10:00:00.000Z";
  const waiting = Waiting.parse({ kind: "usage_limit", since: until, until });
  expect(waitingText(waiting, new Date(until))).toBe(`Waits for usage limit until ${until} (now)`);
  expect(waitingText(waiting)).toBe(`Waits for usage limit until ${until}`);
});

test("every bound is told with what is used of it", () => {
  const usage = Usage.parse({ turns: 3, total_tokens: 1200, cost_usd: 0.42, active_ms: 90_000 });
  const bounded = { ...loop, usage, limits: { max_cost_usd: 2, max_turns: 9 } };
  expect(limitLines(bounded)).toEqual([
    "0 of 10 iterations",
    "1m 30s of 4h of work",
    "3 of 9 turns, 30m each",
    "1200 of 20000000 tokens",
    "$0.42 of $2.00",
    "0 of 15 iterations without progress",
    "0 of 5 failures in a row",
  ]);
});

test("a bound on money that cannot hold is told", () => {
  const silent = { ...loop, usage: Usage.parse({ turns: 3 }), limits: { max_cost_usd: 2 } };
  expect(limitLines(silent)).toContain("$0.00 of $2.00, but the agent does not tell what it costs");
});

test("a loop that nothing helps shows what was tried and how to answer", () => {
  const prompt = "No progress for 15 of at most 15 iterations.\nTried:\n- 3. DEVELOP: this";
  const waiting = Waiting.parse({ kind: "no_progress", since: loop.created_at, prompt });
  const text = outcomeText({ ...loop, waiting }, { parts, paint, hint });
  expect(text).toMatch(
    /^Waits for a person: No progress for 15 of at most 15 iterations\. · Fix the cart\n/,
  );
  expect(text).toContain("\nTried:\n- 3. DEVELOP: this\n");
  expect(text).toContain("ccw-loop answer cart -");
});

/** DEBUG that finds out nothing, however often. */
function cluelessDebug(): typeof findCause {
  const { state_updates, ...rest } = findCause.answer as { message: string; state_updates: object };
  const nothing = { ...state_updates, hypotheses: [], confirmed_hypothesis: null, fix_tasks: [] };
  return { ...findCause, answer: { ...rest, state_updates: nothing } };
}

test("a run that goes in circles ends with exit code 4; an answer goes on with it", async () => {
  await using here = await project(plan, write("41"), cluelessDebug());
  const bounds = ["--max-stalled", "3", "--max-iterations", "500", "--max-cost", "1.5"];
  const args = ["run", "--auto", ...here.flags, "--loop-id", "a"];
  const { code, out } = await here.cli(...args, "--create", ...bounds, "x");
  expect(code, out).toBe(4);
  expect(out).toContain("Tried:");
  expect(out).toContain("ccw-loop answer a -");
  expect(await stateOf(here, "a")).toMatchObject({
    status: "running",
    limits: { max_stalled: 3, max_cost_usd: 1.5 },
    waiting: { kind: "no_progress" },
  });
  const why = await here.cli("why", "a");
  expect(why.out).toContain("waits for a person (no_progress): No progress for ");
  expect(why.out).toMatch(/stall_level +wait\n/);
  const shown = await here.cli("show", "a");
  expect(shown.out).toMatch(/Waits +for a person: No progress for /);
  expect(shown.out).toMatch(/Tried +\d+\. [A-Z]+: /);
  expect((await here.cli("answer", "a", "It has to be 42.")).code).toBe(0);
  expect((await here.cli("why", "a")).out).toMatch(/stalled +0\n/);
});

test("on a terminal it asks, and the agent is told what was said", async () => {
  await using here = await project(plan, write("41"), cluelessDebug());
  const io = here.io({ tty: true });
  const args = ["run", "--auto", ...here.flags, "--loop-id", "a", "--create"];
  const run = here.run(io, ...args, "--max-stalled", "2", "--max-iterations", "500", "x");
  await vi.waitFor(() => expect(io.err()).toContain("Answer"), { timeout: 30_000 });
  expect(io.err()).toContain("What stayed the same:");
  io.type("It has to be 42.\n");
  await vi.waitFor(
    async () => {
      expect(await stateOf(here, "a")).toMatchObject({
        stall: { guidance: "It has to be 42." },
        waiting: { kind: "no_progress" },
      });
    },
    { timeout: 30_000 },
  );
  io.signal("SIGINT");
  expect((await run).code).toBe(130);
});

test("resume --now tries a usage limit at once", async () => {
  const full = {
    action: "DEVELOP",
    once: true,
    steps: [{ fail: { code: "usage_limit" as const, resets_in: 3600 } }],
  };
  await using here = await project(plan, full, write("42"));
  const args = ["run", "--auto", "--no-wait", ...here.flags, "--loop-id", "a", "--create", "x"];
  expect((await here.cli(...args)).code).toBe(75);
  expect((await here.cli("why", "a")).out).toMatch(/Goes on +in (1h|59m)/);
  expect((await here.cli("resume", "a", "--no-run")).out).toMatch(
    /^Loop a is running\. It waits for usage limit until \S+ \(in (1h|59m 5\ds)\)\. Go on with: ccw-loop resume a\n$/,
  );
  const resumed = await here.cli("resume", "a", "--now");
  expect(resumed.code, resumed.err).toBe(0);
});

test("a refusal names the next step once, and a bound may be as high as a hint says", async () => {
  await using here = await project(plan, write("41"), cluelessDebug());
  const args = ["run", "--auto", ...here.flags, "--loop-id", "a", "--create", "--max-stalled", "2"];
  const tokens = "1999999998";
  expect((await here.cli(...args, "--max-tokens", tokens, "x")).code).toBe(4);
  expect((await stateOf(here, "a")).limits.max_tokens).toBe(1_999_999_998);
  const now = await here.cli("resume", "a", "--now");
  expect(now).toMatchObject({ code: 6, err: expect.stringContaining("ccw-loop why a\n") });
  const history = join(here.dir, ".workflow", ".loop", "a.history");
  const newest = (await readdir(history))
    .filter((name) => name.endsWith(".json"))
    .sort()
    .at(-1);
  await writeFile(join(history, newest ?? ""), "{");
  const shown = await here.cli("show", "a");
  expect(shown.code).toBe(5);
  expect(shown.err.match(/ccw-loop recover /g)).toHaveLength(1);
});
