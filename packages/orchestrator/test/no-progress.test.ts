import { setImmediate } from "node:timers/promises";
import { exitCodeOf } from "@ccw-loop/core";
import { fakeClock } from "@ccw-loop/testkit";
import { expect, test } from "vitest";
import { agentBut } from "./interfere.ts";
import { actions, bench, debug, driven, journal, plan, verifierThat, write } from "./support.ts";

/** DEBUG that never finds out anything, after one DEVELOP and a red run. */
const turns = [plan("one"), write("a.js", "1"), debug()];
const limits = { max_consecutive_failures: 100 };

test("DEBUG without end asks a person, and says so with exit code 4", async () => {
  const b = bench(turns, verifierThat("fail"));
  const { id, state } = await driven(b, { limits, max_iterations: 1000 });
  expect(state).toMatchObject({ status: "running", waiting: { kind: "no_progress" } });
  expect(exitCodeOf(state)).toBe(4);
  expect(state.waiting?.prompt).toContain("What stayed the same: 1 test fails: cart > total");
  expect(state.current_iteration).toBeLessThan(12);
  expect((await b.service.why(id)).reason).toContain("waits for a person (no_progress)");
  // Nobody answered: another run changes nothing.
  const again = await b.service.run(id);
  expect(again.revision).toBe(state.revision);
});

test("the agent is told that it goes in circles, and then what the person said", async () => {
  const prompts: string[] = [];
  const b = bench(turns, verifierThat("fail"));
  const id = await b.start({ limits, max_iterations: 1000 });
  const run = () =>
    b.service.run(id, {
      onEvent: (live) => {
        if (live.kind === "activity" && live.activity.event.type === "prompt.sent") {
          prompts.push(live.activity.event.text);
        }
      },
    });
  await run();
  const asked = prompts.filter((text) => text.includes("# ACTION: DEBUG\n"));
  expect(asked[0]).not.toContain("brought no progress");
  expect(asked.at(-1)).toMatch(
    /The last \d+ iterations brought no progress[\s\S]*- DEBUG: no hypothesis was decided/,
  );
  expect(prompts.join()).not.toContain("A person says");

  prompts.length = 0;
  await b.service.send(id, { type: "answer", text: "The cache is stale, look there." });
  const state = await run();
  expect(prompts[0]).toContain("A person says how to go on: The cache is stale, look there.");
  expect(prompts[0]).not.toContain("brought no progress");
  expect(state.waiting?.kind).toBe("no_progress");
});

test("a restart in the middle does not begin the count anew", async () => {
  const count = async (restarts: boolean) => {
    const b = bench(turns, verifierThat("fail"));
    const id = await b.start({ limits, max_iterations: 1000 });
    let state = await b.service.get(id);
    for (let i = 0; i < 40 && state.waiting === undefined; i += 1) {
      const stop = new AbortController();
      state = await b.service.run(id, {
        signal: stop.signal,
        onEvent: (live) => {
          const done = live.kind === "recorded" && live.recorded.event.type === "action.completed";
          if (restarts && done) stop.abort("restart");
        },
      });
    }
    expect(state.waiting?.kind).toBe("no_progress");
    return state.current_iteration;
  };
  expect(await count(true)).toBe(await count(false));
});

test("every end of an action names the tree that it left", async () => {
  const b = bench([plan("one"), write("a.js", "1")], verifierThat("pass"));
  const id = await b.start();
  await b.service.run(id);
  const trees = (await journal(b.store, id)).flatMap(({ event }) =>
    event.type === "action.completed" && event.action !== "COMPLETE" && event.action !== "VALIDATE"
      ? [event.tree]
      : [],
  );
  expect(trees).toEqual([expect.any(String), expect.any(String)]);
  expect(new Set(trees).size).toBe(2);
  expect(await actions(b.store, id)).toEqual(["INIT", "DEVELOP", "VALIDATE(pass)", "COMPLETE"]);
});

test("a turn that polls for hours, and tests that take hours, are no standstill", async () => {
  const HOUR = 3_600_000;
  const clock = fakeClock();
  let polling = false;
  const slow = async () => {
    polling = true;
    for (let minute = 0; minute < 300; minute += 1) await clock.sleep(60_000);
    polling = false;
  };
  const agent = agentBut(
    [plan("one", "two"), write("a.js", "1"), write("b.js", "2")],
    (session) => ({
      run: async (prompt, turn) => {
        if (prompt.includes("# ACTION: DEVELOP")) await slow();
        return session.run(prompt, turn);
      },
    }),
  );
  const verifier = verifierThat("pass");
  const { verify } = verifier;
  const b = bench(
    [{ answer: "unused" }],
    { ...verifier, verify: (planned, options) => slow().then(() => verify(planned, options)) },
    { agent: async () => agent, clock, leaseTtlMs: 60_000, verifyTimeoutMs: 100 * HOUR },
  );
  const id = await b.start({
    limits: { turn_timeout_ms: 100 * HOUR, max_duration_ms: 1000 * HOUR },
  });
  let over = false;
  const run = b.service.run(id).finally(() => {
    over = true;
  });
  // Time goes on while somebody polls, and stands still for real work.
  while (!over) await (polling ? clock.advance(60_000) : setImmediate());
  const state = await run;
  expect(state).toMatchObject({ status: "completed", stall: { stalled: 0, idle: 0 } });
  expect(state.usage?.active_ms).toBeGreaterThan(14 * HOUR);
});
