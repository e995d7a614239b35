import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandRun, Verifier } from "@ccw-loop/core";
import { sampleVerification } from "@ccw-loop/testkit";
import { expect, test } from "vitest";
import { afterCommit } from "./interfere.ts";
import { actions, bench, debug, driven, plan, verifierThat, write } from "./support.ts";

const TURNS = [plan("one"), write("a.js", "1")];

/** A verifier; `act` happens as each of its runs ends. */
function during(
  verifier: Verifier & { ran: number },
  act: (run: number) => void,
): Verifier & { ran: number } {
  return {
    ...verifier,
    verify: async (...args) => {
      const verification = await verifier.verify(...args);
      if (verifier.ran > 0) act(verifier.ran);
      return verification;
    },
    get ran() {
      return verifier.ran;
    },
  };
}

/** Runs a loop; `edit` is told the number of the test run that has just ended. */
async function loopWith(edit: (run: number, dir: string) => void) {
  let dir = "";
  const verifier = during(verifierThat("pass"), (run) => edit(run, dir));
  const b = bench(TURNS, verifier);
  dir = b.dir;
  const { done, state } = await driven(b);
  return { state, ran: verifier.ran, done: done };
}

test("files that change while the tests run are tested before the loop completes", async () => {
  const { state, ran, done } = await loopWith((run, dir) => {
    if (run === 1) writeFileSync(join(dir, "sneaked-in.js"), "throw 1");
  });
  expect(ran).toBe(2);
  expect(done).toEqual(["INIT", "DEVELOP", "VALIDATE(pass)", "COMPLETE"]);
  const receipt = state.receipts?.at(-1);
  expect(receipt?.tree_before).toBe(receipt?.tree_after);
});

test("files that the tests write themselves, differently each time, do not keep a loop from completing", async () => {
  const { state, ran, done } = await loopWith((run, dir) => {
    writeFileSync(join(dir, "report.txt"), `run ${run}`);
  });
  expect(ran).toBe(2);
  expect(done).toEqual(["INIT", "DEVELOP", "VALIDATE(pass)", "COMPLETE"]);
  expect(state.outcome?.code).toBe("proven");
});

test("files that somebody else changes during each run are never taken for tested", async () => {
  const { state, done } = await loopWith((run, dir) => {
    if (run <= 2) writeFileSync(join(dir, `edit-${run}.js`), "throw 1");
  });
  expect(done).toEqual(["INIT", "DEVELOP", "VALIDATE(pass)", "VALIDATE(pass)", "COMPLETE"]);
  expect(state.outcome?.code).toBe("proven");
});

test("what a person repairs between two runs is tested, not debugged", async () => {
  const b = bench([...TURNS, debug()], verifierThat("fail", "pass"));
  const id = await b.start();
  afterCommit(
    b.store,
    (event) => event.type === "action.completed" && event.action === "VALIDATE",
    () => b.service.send(id, { type: "pause" }),
  );
  expect((await b.service.run(id)).status).toBe("paused");
  writeFileSync(join(b.dir, "a.js"), "2");
  expect((await b.service.run(id)).status).toBe("completed");
  expect((await actions(b.store, id)).slice(2)).toEqual([
    "VALIDATE(fail)",
    "VALIDATE(pass)",
    "COMPLETE",
  ]);
});

test("a DEBUG that was cut off is repeated, whatever it left in the files", async () => {
  const half = {
    action: "DEBUG",
    once: true,
    steps: [{ write: { path: "half.js", content: "?" } }, { say: "half" }, { hang: true as const }],
  };
  const b = bench([...TURNS, half, debug()], verifierThat("fail", "pass"));
  const id = await b.start();
  const abort = new AbortController();
  const paused = await b.service.run(id, {
    signal: abort.signal,
    onEvent: (live) => {
      if (live.kind !== "activity" || live.activity.event.type !== "message.completed") return;
      if (live.activity.event.text === "half") abort.abort("enough");
    },
  });
  expect(paused.status).toBe("paused");
  await b.service.run(id);
  expect((await actions(b.store, id)).slice(3, 5)).toEqual(["DEBUG(interrupted)", "DEBUG"]);
});

test("a passing receipt of another tool that names no tree proves nothing", async () => {
  const b = bench(TURNS, verifierThat("pass"));
  const id = await b.start();
  await b.service.run(id);
  const { state, revision } = await b.store.read(id);
  const { outcome: _, completed_at: __, ...rest } = state;
  const receipts = state.receipts?.map((receipt) => ({ ...receipt, tree_after: null })) ?? [];
  const at = new Date().toISOString();
  const edited = { ...rest, status: "running" as const, receipts };
  await b.store.append(id, revision, [{ type: "external.edited", at, state: edited }], {
    actor: "editor",
  });
  expect((await b.service.run(id)).status).toBe("completed");
  expect((await actions(b.store, id)).slice(-2)).toEqual(["VALIDATE(pass)", "COMPLETE"]);
});

test("checks of the proof are about tests, and not about commands that report none", async () => {
  const verifier = verifierThat("pass");
  const { verify } = verifier;
  verifier.verify = async (...args) => {
    const run = await verify(...args);
    const lint = { ...run.commands[0], command: "npm run lint", report: null } as CommandRun;
    return { ...run, commands: [lint, ...run.commands] };
  };
  let green: string[] = [];
  verifier.check = async (_plan, options) => {
    green = options.green.map(({ id }) => id);
    return [];
  };
  const b = bench(TURNS, verifier);
  expect((await b.service.run(await b.start())).status).toBe("completed");
  expect(green).toEqual(["cart > total"]);
});

test("new tests are checked too, behind those of the start", async () => {
  const verifier = verifierThat("pass");
  const checked: boolean[] = [];
  verifier.check = async (_plan, options) => {
    const { cwd } = await options.room("present");
    checked.push(existsSync(join(cwd, "test/new.test.js")));
    return [];
  };
  const turns = [plan("one", "two"), write("a.js", "1"), write("test/new.test.js", "1")];
  const b = bench(turns, verifier);
  expect((await b.service.run(await b.start())).status).toBe("completed");
  expect(checked).toEqual([false, true]);
});

test("a proof says where no check could be made", async () => {
  const verifier = verifierThat("pass");
  const one = (result: "held" | "not_run") => ({
    check: { kind: "canary" as const, result, reason: "", looked_at: 0, duration_ms: 1 },
    objections: [],
  });
  const remarksOf = async (results: readonly ("held" | "not_run")[]) => {
    verifier.check = async () => results.map(one);
    const b = bench(TURNS, verifier);
    const { receipts } = await b.service.run(await b.start());
    return receipts?.at(-1)?.square?.remarks;
  };
  expect(await remarksOf(["not_run", "held"])).toEqual([]);
  expect(await remarksOf(["not_run", "not_run"])).toEqual([
    expect.stringMatching(/^Nothing tried the tests: /),
  ]);
});

test("a proof says where rooms show what is newer than the loop", async () => {
  const verifier = verifierThat("pass");
  verifier.surroundings = async (_cwd, since) => ({ since, newer: ["/bin/tool"], changed: true });
  const b = bench(TURNS, verifier);
  const { receipts } = await b.service.run(await b.start());
  expect(receipts?.at(-1)?.square?.remarks).toContainEqual(
    expect.stringMatching(
      /^Programs, packages or settings outside of the project may have changed/,
    ),
  );
});

test("a proof that only fails for want of what rooms do not show names that", async () => {
  const askedWith = async (fails: (newer: number) => boolean) => {
    const verifier = verifierThat("pass");
    const { verify } = verifier;
    verifier.surroundings = async (_cwd, since) => ({
      since,
      newer: ["/bin/tool"],
      changed: false,
    });
    verifier.verify = async (plan, options) =>
      options.room && fails(options.room.surroundings?.newer.length ?? 0)
        ? sampleVerification(false)
        : verify(plan, options);
    const b = bench(TURNS, verifier);
    const { receipts } = await b.service.run(await b.start());
    return receipts?.at(-1)?.objections.map(({ message }) => message) ?? [];
  };
  const names = expect.stringContaining("clean rooms are without them: /bin/tool");
  expect(await askedWith((newer) => newer > 0)).toContainEqual(names);
  expect(await askedWith(() => true)).not.toContainEqual(names);
  expect(await askedWith(() => false)).toEqual([]);
});

test("tests inside of a source are those of the start in the verdict", async () => {
  const source = (name: string, ...examples: string[]) =>
    `def ${name}(a):\n    """\n    ${examples.join("\n    ")}\n    """\n    return a\n`;
  const verifier = verifierThat("pass");
  const { verify } = verifier;
  const tested: string[] = [];
  verifier.verify = async (plan, options) => {
    if (options.room) tested.push(readFileSync(join(options.cwd, "cart.py"), "utf8"));
    return verify(plan, options);
  };
  const checked: string[] = [];
  verifier.check = async (_plan, options) => {
    const { cwd } = await options.room("present");
    checked.push(readFileSync(join(cwd, "cart.py"), "utf8"));
    return [];
  };
  const now = source("total", ">>> total(5)", "9", ">>> total(4)", "5").replace(
    "return a",
    "return 5",
  );
  const b = bench([plan("one"), write("cart.py", now)], verifier);
  writeFileSync(join(b.dir, "cart.py"), source("total", ">>> total(5)", "5"));
  await b.service.run(await b.start());
  const grafted = source("total", ">>> total(5)", "5").replace("return a", "return 5");
  expect(tested[0]).toBe(grafted);
  // New tests are checked behind those of the start.
  expect(checked).toEqual([grafted, now]);
});
