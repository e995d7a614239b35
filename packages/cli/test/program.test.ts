import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LoopStatus, OnError, TaskMode, TaskTool } from "@ccw-loop/core";
import { REPORT_FORMATS } from "@ccw-loop/view";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { fullHelp } from "../scripts/full-help.ts";
import { SKILL_FOLDERS } from "../src/commands/init.ts";
import { version } from "../src/own-package.ts";
import { examplesOf } from "../src/program/examples.ts";
import {
  FORMATS,
  MODES,
  ON_ERROR,
  SKILL_AGENTS,
  STATUSES,
  TOOLS,
} from "../src/program/loop-commands.ts";
import { createProgram } from "../src/program/program.ts";
import { nameOf } from "../src/runtime/perform.ts";
import { BIN } from "./support/bin.ts";
import { fakeIo } from "./support/fake-io.ts";
import { cli, finish } from "./support/run-cli.ts";

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "ccw-program-"));
});
afterAll(() => rmSync(dir, { recursive: true }));

describe("what needs no parser", () => {
  test("--help of the built program is what commander would print", () => {
    expect(execFileSync(process.execPath, [BIN, "--help"], { encoding: "utf8" })).toBe(fullHelp());
  });

  test.each([["--help"], ["-h"], ["help"]])("%s prints the help on stdout", async (...args) => {
    expect(await cli(dir, args)).toEqual({ code: 0, out: fullHelp(), err: "" });
  });

  test.each([["--version"], ["-V"], ["--version", "--no-color"]])(
    "%s prints the version",
    async (...args) => {
      expect(await cli(dir, args)).toEqual({ code: 0, out: `${version()}\n`, err: "" });
      expect(version()).toMatch(/^\d+\.\d+\.\d+/);
    },
  );

  test.each([
    ["run", "--help"],
    ["help", "run"],
    ["tasks", "add", "-h"],
  ])("%s %s prints the help of a command", async (...args) => {
    const { code, out, err } = await cli(dir, args);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^Usage: ccw-loop (run|tasks add) /);
  });
});

describe("every command has examples that can be typed", () => {
  const program = createProgram(fakeIo(), () => undefined);
  const leaves = program.commands.flatMap((one) =>
    one.commands.length > 0 ? one.commands : [one],
  );
  const shown = leaves.filter((one) => !nameOf(one).startsWith("__"));

  test.each(shown.map((one) => [nameOf(one), one] as const))("%s", async (name, command) => {
    const lines = examplesOf(name);
    expect(lines.length).toBeGreaterThan(0);
    const { out } = await cli(dir, [...name.split(" "), "--help"]);
    for (const line of lines) {
      expect(out).toContain(`  ${line}\n`);
      const [, typed = ""] = /ccw-loop ([^|#>)]+)/.exec(line) ?? [];
      const words = [...typed.matchAll(/"([^"]*)"|(\S+)/g)].map(
        ([, quoted, bare]) => quoted ?? bare ?? "",
      );
      expect(words.slice(0, name.split(" ").length).join(" ")).toBe(name);
      const { operands, unknown } = command.parseOptions(words.slice(name.split(" ").length));
      expect(
        unknown.filter((word) => word !== "--json"),
        line,
      ).toEqual([]);
      const most = command.registeredArguments;
      expect(operands.length, line).toBeGreaterThanOrEqual(
        most.filter((one) => one.required).length,
      );
      expect(operands.length <= most.length || most.at(-1)?.variadic, line).toBe(true);
    }
  });

  test("they begin as this installation is typed", async () => {
    const bin = "/opt/tool/bin/ccw-loop.js";
    const caller = { bin, execPath: "/opt/node", cwd: dir, path: "" };
    const io = Object.assign(fakeIo({ cwd: dir }), { caller });
    const { out } = await finish(io, ["diff", "--help"]);
    expect(out).toContain(`  /opt/node ${bin} diff @last 2..5 | git apply -R`);
    const help = await finish(Object.assign(fakeIo({ cwd: dir }), { caller }), [
      "help",
      "completion",
    ]);
    expect(help.out).toContain(`source <(/opt/node ${bin} completion bash)`);
  });
});

describe("usage errors: exit 2, one line and the next step on stderr, nothing on stdout", () => {
  test.each<[string[], string, string]>([
    [["lst"], "Unknown command 'lst'.", "Did you mean list?"],
    [["tasks", "ad"], "Unknown command 'ad'.", "Did you mean add?"],
    [["list", "--jsno"], "Unknown option '--jsno'.", "Did you mean --json?"],
    [["show"], "Missing required argument 'id'.", "Usage: ccw-loop show [options] <id>"],
    [["pause", "a", "b"], "Too many arguments for 'pause'.", "Usage: ccw-loop pause"],
    [
      ["list", "--limit", "x"],
      "'x' is invalid. Use a whole number from 1 on.",
      "Usage: ccw-loop list",
    ],
    [
      ["list", "--status", "done"],
      "Allowed choices are created, running,",
      "See: ccw-loop list --help",
    ],
    [
      ["tasks", "add", "a", "x", "--tool", "hammer"],
      "Allowed choices are bash, gemini, qwen, codex, claude, opencode, copilot.",
      "Usage: ccw-loop tasks add",
    ],
    [
      ["tasks", "edit", "a", "t", "--mode", "quick"],
      "Allowed choices are analysis, write, review.",
      "Usage: ccw-loop tasks edit",
    ],
    [
      ["tasks", "add", "a", "x", "--on-error", "explode"],
      "Allowed choices are continue, pause, fail_fast.",
      "Usage: ccw-loop tasks add",
    ],
    [["completion", "tcsh"], "Allowed choices are bash, zsh, fish.", "ccw-loop completion"],
    [["run", "x", "--auto", "--interactive"], "cannot be used with", "Usage: ccw-loop run"],
    [
      ["run"],
      "Give run a TASK, --edit to write one, or --loop-id",
      "Usage: ccw-loop run [options] [task]",
    ],
    [["run", "x", "--loop-id", "a"], "not both", "Usage: ccw-loop run"],
    [["run", "x", "--create"], "with --loop-id", "Usage: ccw-loop run"],
    [["run", "  "], "It must not be empty.", "Usage: ccw-loop run"],
    [["run", "x"], "Use --auto", "Usage: ccw-loop run"],
    [
      ["run", "x", "--auto", "--max-iterations", "0"],
      '--max-iterations cannot be "0": use 1 or more.',
      "Usage:",
    ],
    [
      ["run", "x", "--auto", "--max-duration", "1 day"],
      "use a duration like 90s, 45m, 2h or 1d",
      "Usage:",
    ],
    [["run", "x", "--auto", "--agent", "gpt"], "codex-acp or scripted:FILE", "Usage: ccw-loop run"],
    [["run", "x", "--auto", "--session", "two"], "use single or fresh", "Usage: ccw-loop run"],
    [["list", "--cwd", "nowhere"], "is not a folder", "Usage: ccw-loop list"],
    [["show", "../evil"], "is not a loop id", "ccw-loop list"],
  ])("%j", async (args, message, hint) => {
    const { code, out, err } = await cli(dir, args);
    const [first = "", ...rest] = err.trimEnd().split("\n");
    expect(first).toMatch(/^ccw-loop: [A-Z'/"-]/);
    expect(first).toContain(message);
    expect(rest.join("\n")).toContain(hint);
    expect([code, out]).toEqual([2, ""]);
  });

  test.each([[[]], [["tasks"]], [["config"]]])(
    "%j without a command prints help on stderr",
    async (args) => {
      const { code, out, err } = await cli(dir, args);
      expect([code, out]).toEqual([2, ""]);
      expect(err).toMatch(/^Usage: ccw-loop/);
      expect(err).toMatch(/\nccw-loop: Name a command\.\n$/);
    },
  );
});

const ErrorDocument = z.strictObject({
  schema_version: z.literal(1),
  command: z.string().nullable(),
  error: z.strictObject({
    code: z.string(),
    message: z.string().min(1),
    hint: z.string().min(1).nullable(),
    details: z.record(z.string(), z.unknown()),
  }),
});

describe("with --json an error is one document on stdout, too", () => {
  test.each<[string[], string | null, string, number]>([
    [["run", "--json"], "run", "invalid_input", 2],
    [["run", "x", "--json", "--events"], "run", "invalid_input", 2],
    [["logs", "a", "--json", "--raw"], "logs", "invalid_input", 2],
    [["--json", "lst"], null, "invalid_input", 2],
    [["tasks", "ad", "--json"], "tasks", "invalid_input", 2],
    [["show", "--json"], "show", "invalid_input", 2],
    [["show", "no-such-loop", "--json"], "show", "loop_not_found", 7],
    [["tasks", "list", "no-such-loop", "--json"], "tasks list", "loop_not_found", 7],
    [["show", "a..b", "--json"], "show", "invalid_id", 2],
  ])("%j", async (args, command, code, exit) => {
    const ran = await cli(dir, args);
    const document = ErrorDocument.parse(JSON.parse(ran.out));
    expect([document.command, document.error.code, ran.code]).toEqual([command, code, exit]);
    const { message, hint } = document.error;
    const printed = hint === null ? message : `${message}\n${hint}`;
    expect(ran.err.endsWith(`ccw-loop: ${printed}\n`), ran.err).toBe(true);
  });

  test("the next step is a field of its own", async () => {
    const { error } = ErrorDocument.parse(
      JSON.parse((await cli(dir, ["show", "a", "--json"])).out),
    );
    expect(error.hint).toBe("See the loops of this project with: ccw-loop list");
  });

  test("behind -- it is an argument", async () => {
    expect((await cli(dir, ["show", "--", "--json"])).out).toBe("");
  });
});

test("options take the words of core and view", () => {
  expect(FORMATS).toEqual(REPORT_FORMATS);
  expect(SKILL_AGENTS).toEqual(Object.keys(SKILL_FOLDERS));
  const words = [STATUSES, TOOLS, MODES, ON_ERROR];
  const schemas = [LoopStatus, TaskTool, TaskMode, OnError];
  expect(words).toEqual(schemas.map(({ options }) => options));
});

test("a stack is shown only with CCW_LOOP_DEBUG=1", async () => {
  expect((await cli(dir, ["show", "none"])).err).not.toContain("    at ");
  expect((await cli(dir, ["show", "none"], { CCW_LOOP_DEBUG: "1" })).err).toContain("    at ");
});

test("errors are painted only where colors are wanted", async () => {
  const forced = { FORCE_COLOR: "1" };
  expect((await cli(dir, ["show", "none"], forced)).err).toContain("\u001b[31mccw-loop:");
  expect((await cli(dir, ["show", "none", "--no-color"], forced)).err).not.toContain("\u001b");
  expect((await cli(dir, ["show", "none"], { ...forced, NO_COLOR: "1" })).err).not.toContain(
    "\u001b",
  );
});
