import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compose } from "../src/runtime/compose.ts";
import {
  findCause,
  hang,
  hanging,
  type Project,
  plan,
  project,
  stateOf,
  write,
} from "./support/project.ts";

/** The product as another program of the same project uses it. */
function openParts({ dir }: Project) {
  const parts = compose(dir, {
    warn: () => undefined,
    keyFile: join(dir, ".workflow", "receipt.key"),
  });
  return { loops: parts.loops, [Symbol.asyncDispose]: () => parts.close() };
}

const _PATIENCE = { timeout: 20_000 };
const auto = ({ flags }: Project) => ["run", "--auto", ...flags];

describe.concurrent("resume", () => {
  test("reopens an ended loop with a higher limit, recorded in the same command", {
    tags: ["slow"],
  }, async () => {
    await using here = await project(plan, write("41"), findCause, write("42"));
    const args = [...auto(here), "--loop-id", "a", "--create", "--max-iterations", "2", "x"];
    expect((await here.cli(...args)).code).toBe(3);
    expect(await here.cli("resume", "a")).toMatchObject({
      code: 6,
      err: expect.stringContaining("ccw-loop resume a --reopen --max-iterations 12"),
    });
    expect((await here.cli("resume", "a", "--reopen")).code).toBe(6);
    const { code, err } = await here.cli("resume", "a", "--reopen", "--max-iterations", "9");
    expect(code, err).toBe(0);
    expect(await stateOf(here, "a")).toMatchObject({ max_iterations: 9, status: "completed" });
  });

  test("--no-run only says so", async () => {
    await using here = await project(plan, hang, write("42"));
    const { run } = await hanging(here);
    expect((await here.cli("pause", "a")).out).toContain("Loop a is paused.");
    expect((await run).code).toBe(4);
    const { code, out, err } = await here.cli("resume", "a", "--no-run");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("Loop a is running. Nobody drives it yet: ccw-loop run --loop-id a");
    // It was left running with nobody behind it, like after a crash: run goes on with it.
    expect((await here.cli("run", "--loop-id", "a")).code).toBe(0);
  });

  test("applies its flags to a loop that was never driven", async () => {
    await using here = await project(plan, write("42"));
    await using parts = openParts(here);
    const settings = { mode: "auto", agent: `scripted:${here.dir}/agent.json` } as const;
    await (await parts.loops()).create({ id: "a", description: "x", settings });
    const { code, err } = await here.cli("resume", "a", ...here.flags, "--max-iterations", "4");
    expect(code, err).toBe(0);
    expect(await stateOf(here, "a")).toMatchObject({
      max_iterations: 4,
      settings: { verify: "node check.mjs", mode: "auto" },
    });
  });

  test("follows a loop that somebody else drives by saying so", async () => {
    await using here = await project(plan, hang);
    const { io, run } = await hanging(here);
    const { code, out } = await here.cli("resume", "a");
    expect(code).toBe(0);
    expect(out).toMatch(/It is driven by cli:.*ccw-loop watch a/);
    io.signal("SIGINT");
    await run;
  });

  test("a limit that was reached is raised by the flag that the end names", {
    tags: ["slow"],
  }, async () => {
    await using here = await project(plan, write("41"), findCause, write("42"));
    const args = [...auto(here), "--loop-id", "a", "--create", "--max-turns", "3", "x"];
    const ended = await here.cli(...args);
    expect(ended.code).toBe(3);
    const command = /ccw-loop (resume a --reopen --max-turns 6)/.exec(ended.out)?.[1] ?? "";
    expect((await here.cli(...command.split(" "))).code).toBe(0);
  });

  test("the live view knows the iterations before it", {
    tags: ["slow"],
  }, async () => {
    await using here = await project(plan, write("41"), findCause, write("42"));
    const args = [...auto(here), "--loop-id", "a", "--create", "--max-iterations", "2", "x"];
    await here.cli(...args);
    const io = here.io({ tty: true, columns: 100, rows: 40, env: { NO_COLOR: "1" } });
    expect((await here.run(io, "resume", "a", "--reopen", "--max-iterations", "9")).code).toBe(0);
    expect(io.err()).toContain("✖ Iterations 1-2: DEVELOP + VALIDATE (fail)");
    expect(io.err()).toContain("✔ Iterations 3-5: DEBUG + DEVELOP + VALIDATE (pass)");
  });
});
