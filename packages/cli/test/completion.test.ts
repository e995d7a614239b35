import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { cli } from "./support/run-cli.ts";

/** What bash offers for these words; the last one is being typed. */
async function offered(...words: string[]): Promise<string[]> {
  const { out } = await cli("/", ["completion", "bash"]);
  const line = ["ccw-loop", ...words].map((word) => `'${word}'`).join(" ");
  const script = `${out}
COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _ccw_loop; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-c", script], { encoding: "utf8" }).split("\n").filter(Boolean);
}

describe("bash completes", () => {
  test("commands", async () => {
    const all = ["run", "list", "show", "why", "logs", "watch", "pause", "resume", "stop", "exit"];
    const more = ["delete", "tasks", "recover", "doctor", "demo", "completion", "config", "answer"];
    const past = ["verify", "timeline", "diff", "rewind", "fork", "clean"];
    expect(await offered("")).toEqual(expect.arrayContaining([...all, ...more, ...past]));
  });

  test("by what was typed", async () => {
    expect(await offered("re")).toEqual(["resume", "rewind", "recover"]);
  });

  test("subcommands, behind options too", async () => {
    expect(await offered("--json", "tasks", "re")).toEqual(["remove", "reorder"]);
  });

  test("options of the command, with the global ones", async () => {
    expect(await offered("run", "--max-t")).toEqual(["--max-turns", "--max-tokens"]);
    expect(await offered("why", "--")).toEqual([
      "--version",
      "--cwd",
      "--json",
      "--no-color",
      "--url",
      "--token-file",
      "--insecure-http",
      "--help",
    ]);
  });

  test("fixed values", async () => {
    expect(await offered("list", "--status", "")).toContain("user_exit");
    expect(await offered("completion", "z")).toEqual(["zsh"]);
  });

  test("nothing of its own where a file belongs", async () => {
    expect(await offered("run", "--cwd", "r")).toEqual([]);
  });
});

test.each([
  ["zsh", "#compdef ccw-loop\n"],
  [
    "fish",
    "complete -c ccw-loop -n '__ccw_loop_is tasks' -a reorder -d 'put these tasks first, in this order'",
  ],
])("%s gets a script of its own", async (shell, part) => {
  const { code, out, err } = await cli("/", ["completion", shell]);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain(part);
});
