import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { needTmux, works } from "@ccw-loop/testkit";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { BIN } from "./support/bin.ts";
import { cli } from "./support/run-cli.ts";
import { openTerminal } from "./support/terminal.ts";

/** A project with loops, one of which cannot be read, and `ccw-loop` in a folder for PATH. */
let project = "";
let path = "";
beforeAll(async () => {
  project = await realpath(await mkdtemp(join(tmpdir(), "ccw-complete-")));
  path = `${join(project, "bin")}${delimiter}${process.env.PATH}`;
  const loops = join(project, ".workflow/.loop");
  await mkdir(loops, { recursive: true, mode: 0o700 });
  await mkdir(join(project, "bin"));
  await mkdir(join(project, "folder"));
  for (const name of [
    "cart-1.json",
    "cart-2.json",
    "shop.json",
    "x y.json",
    "cart-3.journal.jsonl",
  ])
    await writeFile(join(loops, name), "{}");
  const shim = join(project, "bin/ccw-loop");
  await writeFile(shim, `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`);
  await chmod(shim, 0o755);
  for (const shell of ["bash", "zsh", "fish"]) {
    const { out } = await cli("/", ["completion", shell]);
    await writeFile(join(project, `completion.${shell}`), out);
  }
});
afterAll(() => rm(project, { recursive: true }));

describe("in the place of the last word there may stand", () => {
  async function offered(...words: string[]): Promise<string[]> {
    const { code, out, err } = await cli(project, ["__complete", "--", ...words]);
    expect([code, err]).toEqual([0, ""]);
    return out.split("\n").flatMap((line) => line.split("\t", 1)[0] || []);
  }

  test("commands", async () => {
    const all = ["run", "list", "show", "why", "logs", "watch", "pause", "resume", "stop", "exit"];
    const more = ["delete", "tasks", "recover", "doctor", "demo", "completion", "config", "answer"];
    const past = ["receipt", "verify", "timeline", "diff", "rewind", "fork", "clean", "help"];
    const commands = await offered("");
    expect(commands).toEqual(expect.arrayContaining([...all, ...more, ...past]));
    expect(commands).not.toContain("__complete");
  });

  test("by what was typed", async () => {
    expect(await offered("re")).toEqual([
      "resume",
      "replay",
      "receipt",
      "report",
      "rewind",
      "recover",
    ]);
  });

  test("subcommands, behind options too", async () => {
    expect(await offered("--json", "tasks", "re")).toEqual(["remove", "reorder"]);
    expect(await offered("--cwd", "show", "tasks", "re")).toEqual(["remove", "reorder"]);
  });

  test("options of the command, with the global ones", async () => {
    expect(await offered("run", "--max-t")).toEqual(["--max-turns", "--max-tokens"]);
    expect(await offered("why", "--")).toEqual([
      "--help",
      "--version",
      "--cwd",
      "--json",
      "--no-color",
      "--store",
      "--url",
      "--token-file",
      "--insecure-http",
    ]);
  });

  test("fixed values", async () => {
    expect(await offered("list", "--status", "")).toContain("user_exit");
    expect(await offered("completion", "z")).toEqual(["zsh"]);
  });

  test("ids of loops, read or not, of the project that is named", async () => {
    expect(await offered("show", "")).toEqual(["cart-1", "cart-2", "shop"]);
    expect(await offered("tasks", "add", "cart")).toEqual(["cart-1", "cart-2"]);
    expect(await offered("run", "--loop-id", "s")).toEqual(["shop"]);
    expect(await offered("show", "--cwd", "folder", "s")).toEqual(["shop"]);
    expect(await offered("show", "--cwd", tmpdir(), "s")).toEqual([]);
  });

  test("nothing of its own where a text, a file or a new id belongs", async () => {
    expect(await offered("run", "--cwd", "s")).toEqual([]);
    expect(await offered("show", "shop", "s")).toEqual([]);
    expect(await offered("start", "--loop-id", "s")).toEqual([]);
    expect(await offered("run", "--", "s")).toEqual([]);
  });

  test("what bash has taken apart is one word", async () => {
    expect(await offered("--cwd", "a", ":", "b", "tasks", "re")).toEqual(["remove", "reorder"]);
    expect(await offered("--cwd", "=", "a", "list", "--status", "=", "x")).toEqual([]);
  });
});

describe("a real shell", { timeout: 60_000 }, () => {
  test.for([
    ["bash", "bash --norc -i", ""],
    ["zsh", "zsh -f -i", "autoload -U compinit && compinit -D; "],
  ] as const)("%s", async ([shell, command, before], { skip }) => {
    if (!works(shell, "--version")) skip(`${shell} does not work here`);
    needTmux(skip);
    const terminal = openTerminal(command, project, {
      PATH: path,
      PS1: "> ",
      HISTFILE: "/dev/null",
    });
    const shows = (text: string) =>
      vi.waitFor(() => expect(`${terminal.screen()}|`).toContain(text), { timeout: 20_000 });
    terminal.keys(`${before}source completion.${shell}; echo re''ady`, "Enter");
    await shows("\nready");
    terminal.keys("ccw-loop tim", "Tab");
    await shows("> ccw-loop timeline");
    terminal.keys("sh", "Tab");
    await shows("> ccw-loop timeline shop");
    terminal.keys("C-u", "ccw-loop run --loop-id ca", "Tab");
    await shows("> ccw-loop run --loop-id cart-");
    terminal.keys("2 --create --agent scripted:com", "Tab");
    await shows("scripted:completion.");
    terminal.keys("C-u", "ccw-loop doctor --cwd fol", "Tab");
    await shows("> ccw-loop doctor --cwd folder/");
    expect(terminal.screen()).not.toMatch(/not found|error|unknown/i);
  });

  test("fish", ({ skip }) => {
    if (!works("fish", "--version")) skip("fish does not work here");
    const offered = (line: string) => {
      const script = `source completion.fish; complete -C "${line}"`;
      const env = { PATH: path, HOME: project };
      const all = execFileSync("sh", ["-c", 'exec fish -c "$1" 2>&1', "sh", script], {
        ...{ cwd: project, env, encoding: "utf8" },
      });
      return all.split("\n").filter(Boolean);
    };
    expect(offered("ccw-loop ti")).toEqual([
      "timeline\tevery action: what it changed, what the tests said, what it used",
    ]);
    expect(offered("ccw-loop ")).toContain("show\teverything that matters about one loop");
    expect(offered("ccw-loop show ")).toEqual(["cart-1", "cart-2", "shop"]);
    expect(offered("ccw-loop --json tasks add s")).toEqual(["shop"]);
    expect(offered("ccw-loop list --status pa")).toEqual(["paused"]);
    expect(offered("ccw-loop doctor --cwd fol")).toEqual(["folder/"]);
  });
});
