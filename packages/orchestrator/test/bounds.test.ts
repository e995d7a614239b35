import { LoopError } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { agentBut } from "./interfere.ts";
import { actions, bench, plan, verifierThat, write } from "./support.ts";

const rubbish = { action: "DEVELOP", answer: "All done!" };

test("working time is over for all turns of an action together", async () => {
  const slow = { ...rubbish, steps: [{ wait: 1500 }] };
  const hang = { action: "DEVELOP", steps: [{ hang: true as const }] };
  const b = bench([plan("one"), slow, hang], verifierThat("pass"));
  const state = await b.service.run(await b.start({ limits: { max_duration_ms: 1600 } }));
  expect(state.outcome?.code).toBe("max_duration");
  expect(state.usage?.active_ms).toBeLessThan(2800);
});

test("working time is over for the tests, too", async () => {
  const verifier = verifierThat("hang");
  const b = bench([plan("one"), write("a.js", "1")], verifier);
  const id = await b.start({ limits: { max_duration_ms: 500 } });
  expect((await b.service.run(id)).outcome?.code).toBe("max_duration");
  expect(verifier.ran).toBe(1);
  expect((await actions(b.store, id)).slice(-2)).toEqual(["VALIDATE(interrupted)", "COMPLETE"]);
});

test("a repair turn needs room in the limits like any other", async () => {
  const b = bench([plan("one"), rubbish, write("a.js", "1")], verifierThat("pass"));
  const state = await b.service.run(await b.start({ limits: { max_turns: 2 } }));
  expect(state).toMatchObject({ outcome: { code: "max_turns" }, usage: { turns: 2 } });
});

/** A loop whose DEVELOP always fails with this, not waited for: `again` takes the next attempt. */
async function limited(error: LoopError, random = 0) {
  const agent = agentBut([plan("one")], (session) => ({
    run: (prompt, turn) =>
      prompt.includes("# ACTION: INIT") ? session.run(prompt, turn) : Promise.reject(error),
  }));
  const b = bench([plan("one")], verifierThat("pass"), {
    agent: async () => agent,
    random: () => random,
  });
  const id = await b.start();
  const waits = async () => {
    const { waiting } = await b.service.run(id, { waitForLimits: false });
    expect(waiting?.kind).toBe("usage_limit");
    return waiting?.until && Date.parse(waiting.until) - Date.parse(waiting.since);
  };
  const again = async () => {
    await b.service.send(id, { type: "resume", now: true });
    return waits();
  };
  return { waits, again };
}

const told = (resets_at: unknown) =>
  new LoopError("usage_limit", "Used up.", { details: { resets_at } });

test("waits that did not help grow", async () => {
  const { waits, again } = await limited(told("2020-01-01T00:00:00Z"));
  expect(await waits()).toBe(60_000);
  expect(await again()).toBe(120_000);
  expect(await again()).toBe(240_000);
});

test("a reset time that is no time is not believed", async () => {
  const { waits, again } = await limited(told("tomorrow"));
  expect(await waits()).toBe(900_000);
  expect(await again()).toBe(900_000);
});

test("a rate limit is waited for, not debugged", async () => {
  const { waits, again } = await limited(new LoopError("rate_limited", "Slow down."));
  expect(await waits()).toBe(30_000);
  expect(await again()).toBe(60_000);
});

test("waits that nobody told the end of are spread", async () => {
  const { waits, again } = await limited(new LoopError("rate_limited", "Slow down."), 0.5);
  expect(await waits()).toBe(33_750);
  expect(await again()).toBe(67_500);
});
