import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Agent, isLoopError, LoopError } from "@ccw-loop/core";
import { fakeClock, scriptedAgent } from "@ccw-loop/testkit";
import { expect, test, vi } from "vitest";
import { actions, bench, plan, project, type Turns, verifierThat, write } from "./support.ts";

/** A service whose agent reads its script from a file, which is there or not; `checks` counts the looks at it. */
function onFile(turns: Turns, verifier = verifierThat("pass"), clock = fakeClock()) {
  const folder = project();
  const file = join(folder, "agent.json");
  const put = () => writeFileSync(file, JSON.stringify({ turns }));
  put();
  const real = scriptedAgent({ file, home: join(folder, "home") });
  const seen = { checks: 0 };
  const agent: Agent = {
    ...real,
    check: (cwd) => {
      seen.checks += 1;
      return real.check(cwd);
    },
  };
  const b = bench(turns, verifier, { agent: async () => agent, clock });
  return { ...b, clock, seen, put, remove: () => rmSync(file) };
}

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error: unknown) => (isLoopError(error) ? `${error.code}: ${error.message}` : error),
  );
const UNUSABLE = /^agent_misconfigured: The agent script .*agent\.json cannot be used: ENOENT/;

test("a loop whose agent cannot work is not made", async () => {
  const { service, put, remove } = onFile([plan("one"), write("a", "1")]);
  remove();
  expect(await refusal(service.create({ id: "a", description: "x" }))).toMatch(UNUSABLE);
  expect((await service.list()).total).toBe(0);
  put();
  expect((await service.create({ id: "a", description: "x" })).status).toBe("created");
});

test("every problem of the agent is named, by the code of the first", async () => {
  const problems = [
    new LoopError("agent_unauthorized", "Codex is not logged in."),
    new LoopError("sandbox_unavailable", "It cannot confine commands."),
  ];
  const agent = scriptedAgent({ script: { turns: [plan("one")] } });
  const check = async () => ({ ok: false, version: null, problems, notes: [] });
  const b = bench([plan("one")], verifierThat("pass"), {
    agent: async () => ({ ...agent, check }),
  });
  expect(await refusal(b.service.create({ description: "x" }))).toBe(
    "agent_unauthorized: Codex is not logged in. It cannot confine commands.",
  );
});

test("a loop that is to be driven is left as it is when its agent cannot work", async () => {
  const { service, clock, start, remove } = onFile([plan("one"), write("a", "1")]);
  const id = await start();
  await service.send(id, { type: "start" });
  const paused = await service.send(id, { type: "pause" });
  remove();
  clock.setWall("2030-01-01T01:00:00.000Z");
  expect(await refusal(service.run(id))).toMatch(UNUSABLE);
  const changes = { settings: { agent: "scripted:another" } };
  expect(await refusal(service.send(id, { type: "edit", changes }))).toMatch(UNUSABLE);
  expect(await refusal(service.send(id, { type: "resume", changes }))).toMatch(UNUSABLE);
  expect(await service.get(id)).toEqual(paused);
});

test.each([
  ["a loop that was paused", "pause", { type: "resume" }],
  ["a loop that was stopped", "stop", { type: "resume", reopen: true }],
  ["a loop that was left", "exit", { type: "resume" }],
  ["a new loop", null, { type: "start" }],
] as const)("%s does not run when its agent cannot work", async (_, before, command) => {
  const { service, clock, start, remove, put } = onFile([plan("one"), write("a", "1")]);
  const id = await start();
  if (before !== null) {
    await service.send(id, { type: "start" });
    await service.send(id, { type: before });
  }
  const left = await service.get(id);
  remove();
  clock.setWall("2030-01-01T01:00:00.000Z");
  expect(await refusal(service.send(id, command))).toMatch(UNUSABLE);
  expect(await service.get(id)).toEqual(left);
  put();
  expect((await service.send(id, command)).status).toBe("running");
});

test("what needs no agent is done without one", async () => {
  const hangs = verifierThat("hang", "pass");
  const { service, store, clock, start, remove } = onFile([plan("one"), write("a", "1")], hangs);
  const id = await start();
  const abort = new AbortController();
  const run = service.run(id, { signal: abort.signal });
  await vi.waitFor(() => expect(hangs.ran).toBe(1), { timeout: 10_000 });
  abort.abort("lunch");
  expect((await run).status).toBe("paused");
  remove();
  clock.setWall("2030-01-01T01:00:00.000Z");
  expect((await service.run(id)).status).toBe("completed");
  expect((await actions(store, id)).slice(-2)).toEqual(["VALIDATE(pass)", "COMPLETE"]);
});

test("a check that went well is relied on for a minute", async () => {
  const { service, clock, seen, remove, put } = onFile([plan("one"), write("a", "1")]);
  const make = () => refusal(service.create({ description: "x" }));
  for (let n = 0; n < 3; n++) await make();
  expect(seen.checks).toBe(1);
  clock.setWall("2030-01-01T00:00:59.000Z");
  remove();
  expect(await make()).toBe("done");
  clock.setWall("2030-01-01T00:01:00.000Z");
  expect(await make()).toMatch(UNUSABLE);
  put();
  expect(await make()).toBe("done");
  expect(seen.checks).toBe(3);
});
