import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { isAlive } from "@ccw-loop/testkit";
import { describe, expect, test } from "vitest";
import { BIN } from "./support/bin.ts";
import { documentIn } from "./support/documents.ts";
import { plan, project, repository, write } from "./support/project.ts";

const GREETS = join(import.meta.dirname, "../../agent-acp/test/fixtures/fake-acp.ts");

describe.concurrent("doctor", () => {
  test("finds nothing wrong: exit 0", async () => {
    await using here = await repository(plan, write("42"));
    const env = { CCW_LOOP_AGENT: "scripted:agent.json", CCW_LOOP_VERIFY: "node check.mjs" };
    const { code, out } = await here.run(here.io({ env }), "doctor");
    expect(code, out).toBe(0);
    for (const check of [
      "node",
      "settings",
      "git",
      "workspace",
      "tests",
      "agent",
      "state",
      "loops",
      "processes",
    ]) {
      expect(out).toMatch(new RegExp(`^ok +${check} `, "m"));
    }
    expect(out).toContain("A loop can work here.");
  });

  test("says that a login was not tried, and what tries it", async () => {
    await using here = await repository(plan);
    const agent = `acp:${process.execPath} ${GREETS} ${join(here.dir, ".workflow/fake-acp")} works`;
    const env = {
      ...{ CCW_LOOP_VERIFY: "node check.mjs", CCW_LOOP_SANDBOX: "off" },
      PATH: process.env.PATH ?? "",
    };
    const { code, out } = await here.run(here.io({ env }), "doctor", "--agent", agent);
    expect(code, out).toBe(0);
    expect(out).toMatch(/^note +login +Whether the agent is logged in was not tried/m);
    expect(out).toContain(`Try it with: ccw-loop agents test '${agent}'`);
    expect(out).toContain("A loop can work here, if its agent is logged in.");
  });

  test("looks at the agent that reviews, too", async () => {
    await using here = await repository(plan);
    const agents = {
      CCW_LOOP_AGENT: "scripted:agent.json",
      CCW_LOOP_REVIEW: "scripted:none.json",
    };
    const env = { ...agents, CCW_LOOP_VERIFY: "node check.mjs" };
    const { code, out } = await here.run(here.io({ env }), "doctor");
    expect([code, out]).toEqual([5, expect.stringMatching(/^problem +review .*none\.json/m)]);
  });

  test("names each problem with the next step: exit 5", async () => {
    await using here = await project(plan);
    const folder = join(here.dir, ".workflow", ".loop");
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o777);
    await writeFile(join(folder, "broken.json"), "{");
    await writeFile(join(folder, "remains.journal.jsonl"), "");
    await writeFile(join(here.dir, ".workflow", "ccw-loop.json"), '{ "modle": "x" }');
    const env = { CCW_LOOP_AGENT: "scripted:none.json" };
    const { code, out } = await here.run(here.io({ env }), "doctor");
    expect(code).toBe(5);
    expect(out).toMatch(/^note +settings +Unknown setting modle.*\n +Remove or correct it/m);
    expect(out).toMatch(
      /^problem +tests +No test command was found\.\n +Name the command: ccw-loop run --verify CMD/m,
    );
    expect(out).toMatch(/^problem +agent .*none\.json.*\n +Put this right/m);
    expect(out).toMatch(/^problem +state .*mode 777.*\n +Close it with: chmod go-w/m);
    expect(out).toMatch(/^problem +loops +broken is damaged.*\n +See: ccw-loop recover broken/m);
    expect(out).toMatch(
      /^problem +loops +remains is damaged: .*left: remains\.journal.*\n +See: ccw-loop recover remains/m,
    );
  });

  test("says what a loop lacks where there is no repository, or no git", async () => {
    await using here = await repository(plan);
    await rm(join(here.dir, ".git"), { recursive: true });
    // By its path: `node` is not on the PATH of the second one.
    const verify = `${process.execPath} check.mjs`;
    const set = { CCW_LOOP_AGENT: "scripted:agent.json", CCW_LOOP_VERIFY: verify };
    const plain = await here.run(here.io({ env: set }), "doctor");
    expect(plain.code, plain.out).toBe(0);
    expect(plain.out).toMatch(/^ok +workspace .*\(files\)$/m);
    expect(plain.out).toMatch(/^note +workspace +.*rewound or forked/m);
    expect(plain.out).toMatch(/^note +workspace +.*worktree.*git init/m);
    const env = { ...set, PATH: here.dir, HOME: here.dir };
    const { stdout } = await promisify(execFile)(process.execPath, [BIN, "doctor"], {
      cwd: here.dir,
      env,
    });
    expect(stdout).toMatch(/^note +git +git was not found; .*\n +Install git\.$/m);
    const without = await here.run(
      here.io({ env: { ...set, CCW_LOOP_VERIFY: "no-such-runner tests" } }),
      "doctor",
    );
    expect(without.code, without.out).toBe(5);
    expect(without.out).toMatch(
      /^problem +tests +no-such-runner is not installed\.\n +Install it, or name other tests/m,
    );
    expect(stdout).toMatch(/^note +workspace +.*rewound or forked/m);
  });

  test.runIf(process.platform === "linux")("shows and ends what was left running", async () => {
    await using here = await project(plan);
    const folder = join(here.dir, ".workflow", ".loop");
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const program = fileURLToPath(new URL("support/leave-behind.ts", import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [program, folder]);
    const pid = Number(stdout);
    expect(isAlive(pid)).toBe(true);
    const shown = await here.cli("doctor");
    expect(shown.out).toMatch(
      /^note +processes +Still running: sleep 3605 \(1 process of loop left for .*is gone\.\n +End it with: ccw-loop doctor --reap$/m,
    );
    expect(isAlive(pid)).toBe(true);
    const reaped = await here.cli("doctor", "--reap");
    expect(reaped.code).toBe(shown.code);
    expect(reaped.out).toMatch(/^ok +processes +Ended sleep 3605 \(1 process of loop left/m);
    expect(isAlive(pid)).toBe(false);
    const json = documentIn("doctor", (await here.cli("doctor", "--reap", "--json")).out);
    expect(json.processes).toEqual({ found: [], reaped: true });
  });

  test("leaves no trace", async () => {
    await using here = await repository(plan);
    await rm(join(here.dir, ".workflow"), { recursive: true });
    await here.cli("doctor");
    expect((await readdir(here.dir)).sort()).toEqual([".git", "agent.json", "answer", "check.mjs"]);
  });
});
