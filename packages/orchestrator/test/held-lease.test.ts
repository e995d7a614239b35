import { type Clock, LoopError } from "@ccw-loop/core";
import { memoryStore } from "@ccw-loop/testkit";
import { expect, test } from "vitest";
import { systemClock } from "../src/index.ts";
import { given } from "./commanded.ts";
import { agentBut } from "./interfere.ts";
import { actions, bench, debug, journal, plan, verifierThat, write } from "./support.ts";

const TURNS = [plan("one"), write("a.js", "1")];
const LEASE = { leaseTtlMs: 15_000 };

/** The machine's clock for a process that can be suspended: `sleep` is over when it wakes. */
function suspendableClock(): Clock & { suspend(ms: number): void } {
  let ahead = 0;
  return {
    ...systemClock,
    monotonic: () => performance.now() + ahead,
    suspend(ms) {
      ahead += ms;
    },
  };
}

/** A loop whose process is suspended for longer than its lease while the first VALIDATE runs, which then fails. */
async function suspendedInValidate() {
  const clock = suspendableClock();
  const store = memoryStore();
  const verifier = verifierThat("fail", "pass");
  const { verify } = verifier;
  const asleep = { onWake: () => undefined as unknown };
  verifier.verify = async (...args) => {
    const result = await verify(...args);
    if (verifier.ran === 1) {
      clock.suspend(LEASE.leaseTtlMs * 3);
      asleep.onWake();
    }
    return result;
  };
  const b = bench(TURNS, verifier, { store, clock, ...LEASE });
  return { b, store, asleep, id: await b.start() };
}

test("what was measured while the lease lapsed is not recorded: the action is repeated", async () => {
  const { b, store, id } = await suspendedInValidate();
  const state = await b.service.run(id);
  expect(state.status).toBe("completed");
  expect((await actions(store, id)).join(" ")).toBe(
    "INIT DEVELOP VALIDATE(interrupted) VALIDATE(pass) COMPLETE",
  );
  expect(state.receipts).toHaveLength(1);
  const cut = (await journal(store, id)).filter(({ event }) => event.type === "action.interrupted");
  expect(cut).toMatchObject([
    { event: { reason: expect.stringContaining("not renewed in time") } },
  ]);
});

/** A verifier, and the commands that it was given to run. */
function probing() {
  const ran: string[] = [];
  const verifier = verifierThat("pass");
  verifier.probe = async (command) => {
    ran.push(command);
    return { exit_code: 0, duration_ms: 1, output: "", timed_out: false };
  };
  return { verifier, ran };
}

/** The clock of a process that is suspended for longer than its lease at the first call of `once`. */
function suspendedOnce() {
  const clock = suspendableClock();
  let was = false;
  const once = () => {
    if (!was) clock.suspend(LEASE.leaseTtlMs * 3);
    was = true;
  };
  return { clock, once };
}

test("the setup command is not started for a lease that lapsed before it", async () => {
  const { clock, once } = suspendedOnce();
  const { verifier, ran } = probing();
  const b = bench(TURNS, verifier, { clock, ...LEASE });
  const { checkpoint } = b.workspace;
  b.workspace.checkpoint = async (...args) => {
    const kept = await checkpoint(...args);
    once();
    return kept;
  };
  const state = await b.service.run(await b.start({ settings: { setup: "npm ci" } }));
  expect(state.status).toBe("completed");
  expect(ran).toEqual(["npm ci"]);
});

test("the command of a task is not started for a lease that lapsed while its agent was opened", async () => {
  const { clock, once } = suspendedOnce();
  const { verifier, ran } = probing();
  const agent = agentBut([debug()], () => {
    once();
    return {};
  });
  const b = bench([debug()], verifier, { clock, agent: async () => agent, ...LEASE });
  const id = await b.start();
  await b.service.send(id, { type: "add_task", task: given("true") });
  await b.service.run(id);
  expect(ran).toHaveLength(1);
  const [, first, second] = await actions(b.store, id);
  expect([first, second]).toEqual(["DEVELOP(interrupted)", "DEVELOP"]);
});

test("nothing at all is recorded when somebody else has claimed the loop meanwhile", async () => {
  const { b, store, asleep, id } = await suspendedInValidate();
  let revision = 0;
  asleep.onWake = async () => {
    store.renew = () => Promise.reject(new LoopError("fenced", "Somebody else drives it."));
    ({ revision } = await store.read(id));
  };
  await expect(b.service.run(id)).rejects.toMatchObject({ code: "fenced" });
  expect(revision).toBeGreaterThan(0);
  expect(await store.read(id)).toMatchObject({ revision, state: { status: "running" } });
});

test("processes live for less than the lease does, counted from before the store was asked", async () => {
  const clock = suspendableClock();
  const store = memoryStore();
  let asked = Number.NaN;
  const slowly = <T extends unknown[], R>(call: (...args: T) => Promise<R>) => {
    return async (...args: T) => {
      asked = clock.monotonic();
      // As when the process is suspended behind what the store did.
      const answer = await call(...args);
      clock.suspend(2000);
      return answer;
    };
  };
  store.claim = slowly(store.claim);
  store.renew = slowly(store.renew);
  const times: (number | null)[] = [];
  const b = bench(TURNS, verifierThat("pass"), {
    ...{ store, clock, ...LEASE },
    keepAlive: async ({ loop, epoch }, until) => {
      expect({ loop, epoch }).toEqual({ loop: id, epoch: 1 });
      times.push(until === null ? null : until - asked);
    },
  });
  const id = await b.start();
  await b.service.run(id);
  expect(times.length).toBeGreaterThanOrEqual(3);
  expect(times.pop()).toBeNull();
  for (const time of times) {
    expect(time).toBeGreaterThan(LEASE.leaseTtlMs / 2);
    expect(time).toBeLessThanOrEqual((LEASE.leaseTtlMs * 3) / 4);
  }
});

test("a claim on the files that is slow to renew does not cost the lease", async () => {
  const store = memoryStore();
  const { renew } = store;
  const often = Promise.withResolvers<void>();
  let renewed = 0;
  store.renew = async (lease) => {
    await renew(lease);
    renewed += 1;
    if (renewed > 6) often.resolve();
  };
  const verifier = verifierThat("pass");
  const { verify } = verifier;
  verifier.verify = async (plan, options) => {
    options.signal.addEventListener("abort", () => often.resolve());
    await often.promise;
    return verify(plan, options);
  };
  const b = bench(TURNS, verifier, { store, leaseTtlMs: 900 });
  const { claim } = b.workspace;
  b.workspace.claim = async (...args) => ({
    ...(await claim(...args)),
    renew: () => often.promise,
  });
  const id = await b.start();
  expect((await b.service.run(id)).status).toBe("completed");
  expect(await actions(store, id)).toEqual(["INIT", "DEVELOP", "VALIDATE(pass)", "COMPLETE"]);
});
