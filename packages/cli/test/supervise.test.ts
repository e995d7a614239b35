import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { documentIn } from "./support/documents.ts";
import { commitAll, hang, plan, project, stateOf, write } from "./support/project.ts";

const PATIENCE = { timeout: 30_000, interval: 10 };

test("start leaves a loop to a supervisor, which drives it and gives it back at a signal", async () => {
  await using here = await project(plan, hang, write("42"));
  await commitAll(here);
  const started = await here.cli("start", "x", "--auto", ...here.flags, "--loop-id", "a");
  expect(started.code, started.err).toBe(0);
  expect(started.out).toContain("Loop a is started. A supervisor drives it: ccw-loop supervise\n");
  expect((await stateOf(here, "a")).status).toBe("running");

  const io = here.io();
  const supervisor = here.run(io, "supervise", "--events");
  await vi.waitFor(() => expect(io.out()).toContain("echo thinking"), PATIENCE);
  io.signal("SIGTERM");
  const { code, out } = await supervisor;
  expect(code).toBe(0);
  const records = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(records[0]).toMatchObject({ kind: "supervisor", type: "loop.taken", id: "a" });
  expect(records.at(-1)).toMatchObject({ type: "loop.given_back", id: "a", status: "running" });
  const ends = records.flatMap(({ recorded }) => recorded?.event ?? []);
  expect(ends).toContainEqual(
    expect.objectContaining({ type: "action.interrupted", reason: "interrupted by SIGTERM" }),
  );

  const next = here.io();
  const again = here.run(next, "supervise", "--json");
  await vi.waitFor(
    async () => expect((await stateOf(here, "a")).status).toBe("completed"),
    PATIENCE,
  );
  await vi.waitFor(() => expect(next.err()).toContain("a completed (proven): "), PATIENCE);
  next.signal("SIGINT");
  expect(documentIn("supervise", (await again).out)).toEqual({ driven: ["a"], given_back: [] });
  expect(next.err()).toMatch(
    /^\d{4}-\d\d-\d\dT[\d:]{8}Z Driving the running loops of .*, 4 at once\.$/m,
  );
  expect(next.err()).toMatch(/Z a DEVELOP done: Wrote 42\.$/m);
});

test("the second signal leaves at once, whatever the turn does", async () => {
  await using here = await project(plan, hang, write("42"));
  await here.cli("start", "x", "--auto", ...here.flags, "--loop-id", "a");
  const io = here.io();
  const supervisor = here.run(io, "supervise", "--events");
  await vi.waitFor(() => expect(io.out()).toContain("echo thinking"), PATIENCE);
  io.signal("SIGINT");
  io.signal("SIGINT");
  expect((await supervisor).code).toBe(130);
});

test("a loop that is started for a supervisor asks nobody, unless it is configured to", async () => {
  await using here = await project(plan);
  const modeOf = async (id: string) => {
    const { out, code, err } = await here.cli("start", "x", ...here.flags, "--loop-id", id);
    expect(code, err).toBe(0);
    return [(await stateOf(here, id)).settings?.mode, out.includes("It asks before every action")];
  };
  expect(await modeOf("a")).toEqual(["auto", false]);
  const config = join(here.dir, ".workflow", "ccw-loop.json");
  await writeFile(config, JSON.stringify({ mode: "interactive" }));
  expect(await modeOf("b")).toEqual(["interactive", true]);
});

test("a loop that asks is told how to be answered", async () => {
  await using here = await project(plan);
  const flags = ["--interactive", ...here.flags];
  const { out, code } = await here.cli("start", "x", ...flags, "--loop-id", "a");
  expect(code).toBe(0);
  expect(out).toContain("It asks before every action. See what with: ccw-loop show a\n");
  expect((await here.cli("start", "x", "--loop-id", "a")).code).toBe(6);
  expect((await here.cli("supervise", "--concurrency", "0")).code).toBe(2);
});
