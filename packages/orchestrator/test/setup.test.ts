import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Missing, Verifier } from "@ccw-loop/core";
import { sampleVerification } from "@ccw-loop/testkit";
import { describe, expect, test } from "vitest";
import { actions, bench, journal, plan, verifierThat, write } from "./support.ts";

const MISSING: Missing = { message: "vitest is not installed.", command: "npm ci" };

/** Its tests can be run only once `npm ci` was. */
function verifierWithout(missing: Missing, setup: { exit: number } = { exit: 0 }) {
  const ran: string[] = [];
  const base = verifierThat("pass");
  const verifier: Verifier = {
    ...base,
    missing: async () => (ran.length > 0 ? [] : [missing]),
    verify: async (_, { room }) =>
      room ? sampleVerification(true) : sampleVerification(ran.length > 0),
    probe: async (command) => {
      ran.push(command);
      return {
        exit_code: setup.exit,
        duration_ms: 7,
        output: "one\nno such lock",
        timed_out: false,
      };
    },
  };
  return { verifier, ran };
}

describe("tests that cannot be run", () => {
  test("end the loop before the agent is asked anything", async () => {
    const { verifier } = verifierWithout(MISSING);
    const { service, start, store } = bench([plan("a")], verifier);
    const id = await start();
    const state = await service.run(id);
    expect(state).toMatchObject({
      status: "failed",
      outcome: {
        code: "verify_unavailable",
        message: "The tests cannot be run here. vitest is not installed. Run: npm ci",
      },
    });
    expect(state.usage?.turns ?? 0).toBe(0);
    expect(await actions(store, id)).toEqual(["INIT(interrupted)"]);
  });

  test("are run when the loop goes on after that was brought", async () => {
    const { verifier, ran } = verifierWithout(MISSING);
    const { service, start } = bench([plan("a"), write("cart.txt", "2")], verifier);
    const id = await start();
    await service.run(id);
    ran.push("by hand");
    await service.send(id, { type: "resume", reopen: true });
    const state = await service.run(id);
    expect(state.status).toBe("completed");
    expect(state.baseline?.setup).toBeUndefined();
  });

  test("are named without a command where nobody knows one", async () => {
    const { verifier } = verifierWithout({
      message: "The service at a:1 does not answer.",
      command: null,
    });
    const { service, start } = bench([plan("a")], verifier);
    const { outcome } = await service.run(await start());
    expect(outcome?.message).toBe(
      "The tests cannot be run here. The service at a:1 does not answer. Bring it, or name other tests with --verify.",
    );
  });
});

describe("a setup command", () => {
  test("is run once, before the tests, and recorded", async () => {
    const { verifier, ran } = verifierWithout(MISSING);
    const { service, start } = bench([plan("a"), write("cart.txt", "2")], verifier);
    const state = await service.run(await start({ settings: { setup: "npm ci" } }));
    expect(state.status).toBe("completed");
    expect(state.baseline).toMatchObject({ setup: { command: "npm ci", duration_ms: 7 } });
    expect(ran).toEqual(["npm ci"]);
  });

  test("that fails ends the loop with what it said", async () => {
    const { verifier } = verifierWithout(MISSING, { exit: 3 });
    const { service, start } = bench([plan("a")], verifier);
    const { outcome } = await service.run(await start({ settings: { setup: "npm ci" } }));
    expect(outcome).toMatchObject({
      code: "verify_unavailable",
      message:
        'The setup command "npm ci" exited with 3. no such lock Correct it, or leave --setup out.',
    });
  });

  test("is offered to the person at an interactive loop, and kept as theirs", async () => {
    const { verifier, ran } = verifierWithout(MISSING);
    const { service, start, store } = bench([plan("a"), write("cart.txt", "2")], verifier);
    const id = await start({ settings: { mode: "interactive" } });
    const asked: (readonly Missing[])[] = [];
    const choose = async () => "exit" as const;
    const state = await service.run(id, {
      choose,
      askSetup: async (missing) => {
        asked.push(missing);
        return true;
      },
    });
    expect(asked).toEqual([[MISSING]]);
    expect(ran).toEqual(["npm ci"]);
    expect(state.settings?.setup).toBe("npm ci");
    expect(state.baseline?.setup?.command).toBe("npm ci");
    expect((await journal(store, id)).some(({ event }) => event.type === "loop.edited")).toBe(true);
  });

  test("is not run where the person says no, and not offered under --auto", async () => {
    const { verifier, ran } = verifierWithout(MISSING);
    const { service, start } = bench([plan("a")], verifier);
    const no = { askSetup: async () => false };
    const refused = await service.run(await start({ settings: { mode: "interactive" } }), no);
    const yes = { askSetup: async () => true };
    const auto = await service.run(await start(), yes);
    expect([refused.status, auto.status, ran]).toEqual(["failed", "failed", []]);
  });
});

test("a test program of the project's own may be what the work is to make", async () => {
  const { dir, service, start } = bench(
    [plan("a"), write("cart.txt", "2")],
    realVerifierFor("./check.sh"),
  );
  writeFileSync(join(dir, "cart.txt"), "1");
  const { baseline } = await service.run(await start({ settings: { verify: "./check.sh" } }));
  expect(baseline?.reason).toContain("./check.sh");
});

/** Cannot start the program. */
function realVerifierFor(program: string): Verifier {
  const base = verifierThat("pass");
  const { verify } = base;
  let tried = false;
  return {
    ...base,
    verify: async (...args) => {
      if (tried) return verify(...args);
      tried = true;
      const { LoopError } = await import("@ccw-loop/core");
      throw new LoopError("verify_unavailable", `The test command needs "${program}".`, {
        details: { program },
      });
    },
  };
}
