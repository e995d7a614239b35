import { readdirSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Project, plan, project, stateOf } from "./support/project.ts";

/** The task of the loop that `start` makes of an argument, with this on standard input. */
async function taskOf(here: Project, argument: string, stdin?: string | Buffer): Promise<string> {
  const io = here.io();
  if (stdin !== undefined) io.stdin.push(stdin);
  io.stdin.push(null);
  const ran = await here.run(io, "start", "--json", ...here.flags, argument);
  const { data, error } = JSON.parse(ran.out);
  return error ? `${ran.code} ${error.message}` : (await stateOf(here, data.loop_id)).description;
}

test("a task is what is typed, a file, or standard input", async () => {
  await using here = await project(plan);
  await writeFile(join(here.dir, "TASK.md"), "# Mend it\n\nAll of it: ü.\n");
  expect(await taskOf(here, "Mend it")).toBe("Mend it");
  expect(await taskOf(here, "@TASK.md")).toBe("# Mend it\n\nAll of it: ü.");
  expect(await taskOf(here, "-", "Mend it\nwell\n")).toBe("Mend it\nwell");
  expect(await taskOf(here, "@@ts-ignore is gone")).toBe("@ts-ignore is gone");
});

describe("what is no task is refused with exit code 2, and no loop is made:", () => {
  test.each<[string, string, string | Buffer | undefined, string]>([
    [
      "no file",
      "@none.md",
      undefined,
      "none.md cannot be read: there is no such file; a text that begins with @ is written with @@.",
    ],
    ["a folder", "@.", undefined, "cannot be read: EISDIR"],
    ["an empty file", "@empty", undefined, "empty is empty."],
    ["no input", "-", "", "Standard input is empty."],
    ["blanks", "-", " \n", "Standard input is empty."],
    ["no text", "-", Buffer.from([0xff, 0xfe, 0x00]), "Standard input cannot be read: "],
    [
      "too much",
      "-",
      "x".repeat(1024 * 1024 + 1),
      "Standard input cannot be read: it is larger than 1 MiB.",
    ],
  ])("%s", async (_, argument, stdin, message) => {
    await using here = await project(plan);
    await writeFile(join(here.dir, "empty"), "");
    const said = await taskOf(here, argument, stdin);
    expect(said).toMatch(/^2 /);
    expect(said).toContain(message);
    expect(JSON.parse((await here.cli("list", "--json")).out).data.total).toBe(0);
  });
});

test("tasks and answers are read alike", async () => {
  await using here = await project(plan);
  await here.cli("start", ...here.flags, "--loop-id", "a", "Do it");
  await writeFile(join(here.dir, "more"), "one more\nin two lines\n");
  const added = await here.cli("tasks", "add", "a", "@more", "--json");
  expect(JSON.parse(added.out).data.tasks[0].description).toBe("one more\nin two lines");
  expect((await here.cli("answer", "a", "@none")).err).toContain("there is no such file");
});

describe("--edit", () => {
  /** A program that takes the place of an editor. */
  async function editor(here: Project, script: string): Promise<Record<string, string>> {
    const path = join(here.dir, "editor with blanks.sh");
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
    return { EDITOR: `"${path}" --wait`, PATH: process.env.PATH ?? "" };
  }
  const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith("ccw-loop-task-"));
  const start = (here: Project, env: Record<string, string>, ...args: string[]) =>
    here.run(here.io({ tty: true, env }), "start", ...here.flags, "--loop-id", "a", ...args);

  test("the task is what a person wrote in the editor, beginning with what is given", async () => {
    await using here = await project(plan);
    const env = await editor(here, 'sed -i "1s/$/ in the editor/; 2s/^/and more/" "$2"');
    const before = left();
    const ran = await start(here, env, "--edit", "Mend it");
    expect(ran.code, ran.err).toBe(0);
    expect((await stateOf(here, "a")).description).toBe("Mend it in the editor\nand more");
    expect(left()).toEqual(before);
  });

  test.each([
    ["an empty task", "true", "The task is empty."],
    ["an editor that fails", "exit 3", "ended with 3; nothing was started."],
  ])("%s starts nothing", async (_, script, message) => {
    await using here = await project(plan);
    const { code, err } = await start(here, await editor(here, script), "--edit");
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect((await here.cli("show", "a")).code).toBe(7);
  });

  test("without an editor or a terminal it says what to do", async () => {
    await using here = await project(plan);
    expect((await start(here, {}, "--edit")).err).toContain(
      "Set it first, for example: export EDITOR=nano",
    );
    const { err } = await here.cli("start", ...here.flags, "--edit");
    expect(err).toContain("Give the task as @FILE, or - for standard input.");
    expect((await here.cli("start", ...here.flags)).err).toContain("Give start a TASK, or --edit");
  });
});
