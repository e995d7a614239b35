import { execFile } from "node:child_process";
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { SettingValues } from "@ccw-loop/view";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { settingsSchema } from "../src/commands/init.ts";
import { createProgram } from "../src/program/program.ts";
import { documentIn } from "./support/documents.ts";
import { plan, project, repository, write } from "./support/project.ts";

type Here = Awaited<ReturnType<typeof project>>;

async function init(here: Here, ...args: string[]) {
  const ran = await here.cli("init", "--agent", "scripted:agent.json", ...args, "--json");
  expect(ran.code, ran.err).toBe(0);
  return documentIn("init", ran.out);
}
const textIn = (here: Here, path: string) => readFileSync(join(here.dir, path), "utf8");
const done = ({ files }: Awaited<ReturnType<typeof init>>) =>
  Object.fromEntries(files.map((file) => [file.path, file.done]));

const SETTINGS = ".workflow/ccw-loop.json";
const SCHEMA = ".workflow/ccw-loop.schema.json";

test("a project gets settings with a schema, and git ignores its loops; then nothing is left to do", async () => {
  await using here = await repository(plan);
  await writeFile(join(here.dir, ".gitignore"), "node_modules");
  const first = await init(here, "--max-cost", "5");
  expect(done(first)).toEqual({ [SETTINGS]: "made", [SCHEMA]: "made", ".gitignore": "changed" });
  expect(JSON.parse(textIn(here, SETTINGS))).toEqual({
    $schema: "./ccw-loop.schema.json",
    agent: `scripted:${here.dir}/agent.json`,
    max_cost: 5,
  });
  expect(textIn(here, ".gitignore")).toBe("node_modules\n.workflow/.loop/\n");
  expect(first.findings).toContainEqual(expect.objectContaining({ check: "agent", status: "ok" }));
  const shown = JSON.parse((await here.cli("config", "show", "--json")).out).data;
  expect(shown.warnings).toEqual([]);
  expect(shown.settings.max_cost).toEqual({ value: 5, origin: join(here.dir, SETTINGS) });

  const kept = { [SETTINGS]: "kept", [SCHEMA]: "kept", ".gitignore": "kept" };
  expect(done(await init(here))).toEqual(kept);
});

test("settings that are there stay, and it says so; an older schema of ours is brought up to date", async () => {
  await using here = await project(plan);
  await writeFile(join(here.dir, SETTINGS), '{ "max_turns": 7 }');
  await writeFile(join(here.dir, SCHEMA), "{}");
  const { files, ...rest } = await init(here, "--max-turns", "9");
  expect(done({ files, ...rest })).toEqual({ [SETTINGS]: "kept", [SCHEMA]: "changed" });
  expect(files[0]?.message).toContain("What the flags say is not in it");
  expect(textIn(here, SETTINGS)).toBe('{ "max_turns": 7 }');
});

test("outside of a repository there is nothing for git to ignore", async () => {
  await using here = await project(plan);
  await init(here);
  expect(existsSync(join(here.dir, ".gitignore"))).toBe(false);
});

test("a link is replaced or refused, and nothing is written through it", async () => {
  await using here = await repository(plan);
  await mkdir(join(here.dir, "mine"));
  await writeFile(join(here.dir, "mine/ignore"), "mine");
  await symlink("mine/ignore", join(here.dir, ".gitignore"));
  const { code, err } = await here.cli("init", "--agent", "scripted:agent.json");
  expect(code).toBe(2);
  expect(err).toContain(".gitignore cannot be read: ELOOP");
  expect(textIn(here, "mine/ignore")).toBe("mine");
  expect(lstatSync(join(here.dir, ".gitignore")).isSymbolicLink()).toBe(true);
});

test("what belongs to the operator's own settings is not written, and no file is made", async () => {
  await using here = await project(plan);
  await writeFile(join(here.dir, "own.js"), "export default {}");
  const { code, err } = await here.cli("init", "--agent", "./own.js");
  expect(code, err).not.toBe(0);
  expect(existsSync(join(here.dir, SETTINGS))).toBe(false);
});

test("an agent that cannot work is said with what to do; the files are made", async () => {
  await using here = await project(plan);
  const ran = await here.cli("init", "--agent", "scripted:none.json");
  expect(ran.code, ran.err).toBe(0);
  expect(ran.out).toContain("problem  agent");
  expect(ran.out).toContain("When that is put right, start with: ccw-loop run");
  expect(existsSync(join(here.dir, SETTINGS))).toBe(true);
});

test("where nobody names an agent, and none can work, the settings name none", async () => {
  await using here = await repository(plan);
  const program = join(import.meta.dirname, "../bin/ccw-loop.js");
  // Neither a login, nor an agent beside Codex, which is a development dependency.
  const env = { HOME: here.dir, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` };
  const call = promisify(execFile)(process.execPath, [program, "init", "--json"], {
    ...{ cwd: here.dir, env },
  });
  const { findings } = documentIn("init", (await call).stdout);
  expect(findings).toContainEqual(expect.objectContaining({ check: "agent", status: "problem" }));
  expect(JSON.parse(textIn(here, SETTINGS))).toEqual({ $schema: "./ccw-loop.schema.json" });
}, 60_000);

describe("--skill", () => {
  test.each([
    ["claude", ".claude/skills/ccw-loop/SKILL.md"],
    ["codex", ".agents/skills/ccw-loop/SKILL.md"],
  ])("%s gets it where it looks; one that is there stays", async (agent, path) => {
    await using here = await project(plan);
    expect(done(await init(here, "--skill", agent))).toMatchObject({ [path]: "made" });
    expect(textIn(here, path)).toMatch(/^---\nname: ccw-loop\ndescription: .{50,1000}\n/);
    await writeFile(join(here.dir, path), "mine");
    expect(done(await init(here, "--skill", agent))).toMatchObject({ [path]: "kept" });
    expect(textIn(here, path)).toBe("mine");
  });

  test("its commands are commands: one starts a loop, one asks before every action", async () => {
    await using here = await project(plan, write("42"));
    await init(here, "--skill", "claude");
    const text = textIn(here, ".claude/skills/ccw-loop/SKILL.md");
    const [, block = ""] = /```sh\nccw-loop (.*) <</.exec(text) ?? [];
    const io = here.io();
    io.stdin.push("Find the answer\n");
    io.stdin.push(null);
    const ran = await here.run(io, ...block.split(" "), ...here.flags);
    expect(JSON.parse(ran.out).data).toMatchObject({
      status: "completed",
      title: "Find the answer",
    });
    const program = createProgram(io, () => undefined);
    const named = [...text.matchAll(/`ccw-loop ([a-z]+)((?: [^`]*)?)`/g)];
    expect(named.length).toBeGreaterThan(8);
    for (const [whole, name, rest = ""] of named) {
      const command = program.commands.find((one) => one.name() === name);
      const { unknown } = command?.parseOptions(rest.trim().split(" ")) ?? { unknown: [whole] };
      expect(
        unknown.filter((word) => !/^(--json|-)$/.test(word)),
        whole,
      ).toEqual([]);
    }
  });
});

describe("the schema", () => {
  const schema = z.fromJSONSchema(settingsSchema() as Parameters<typeof z.fromJSONSchema>[0]);

  test("has every setting with what it is for", () => {
    const properties = settingsSchema().properties as Record<string, { description?: string }>;
    const { $schema: _, ...settings } = properties;
    expect(Object.keys(settings)).toEqual(SettingValues.keyof().options);
    for (const [key, { description }] of Object.entries(settings)) {
      expect(description, key).toMatch(/\.$/);
    }
  });

  test.each([
    [{ $schema: "x", max_turns: 5, max_cost: null, mode: "auto" }, true],
    [{ max_turn: 5 }, false],
    [{ max_turns: 0 }, false],
    [{ mode: "manual" }, false],
    [{ flaky_reruns: 11 }, false],
  ])("%j: %s", (value, fits) => {
    expect(schema.safeParse(value).success).toBe(fits);
  });
});
