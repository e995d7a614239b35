/** @module-tag slow */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type Project, plan } from "../packages/cli/test/support/project.ts";
import { repairs, testedProject } from "../packages/cli/test/support/tested-project.ts";

const ROOT = join(import.meta.dirname, "..");
const ACTION = parse(readFileSync(join(ROOT, "action.yml"), "utf8"));
const LAUNCHER = join(process.env.CCW_LOOP_BUILT ?? "", "bin/ccw-loop.js");

const KEY = "5eed".repeat(16);

let here: Project;
let temp: string;
/** The file that the action made of a loop. */
let receipt: string;
beforeAll(async () => {
  here = await testedProject(plan, repairs);
  temp = mkdtempSync(join(tmpdir(), "ccw-action-"));
}, 60_000);
afterAll(async () => {
  await here[Symbol.asyncDispose]();
  rmSync(temp, { recursive: true, force: true });
});

/** Runs the action's step as the runner does: its shell, its folder, its environment filled from the inputs. */
function action(inputs: Record<string, string>, more: Record<string, string> = {}) {
  const [step] = ACTION.runs.steps;
  const defaults = Object.entries(ACTION.inputs as Record<string, { default: string }>).map(
    ([name, input]) => [name, input.default],
  );
  const given: Record<string, string> = {
    ...Object.fromEntries(defaults),
    command: `${process.execPath} ${LAUNCHER}`,
    "working-directory": here.dir,
    ...inputs,
  };
  const filled = (text: string) =>
    text.replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name: string) => {
      if (!(name in given)) throw new Error(`The action has no input ${name}.`);
      return given[name] ?? "";
    });
  const env = Object.entries(step.env as Record<string, string>);
  const folder = mkdtempSync(join(temp, "run-"));
  const files = {
    GITHUB_STEP_SUMMARY: join(folder, "summary"),
    GITHUB_OUTPUT: join(folder, "out"),
  };
  for (const file of Object.values(files)) writeFileSync(file, "");
  const script = join(folder, "step.sh");
  writeFileSync(script, step.run);
  const ran = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", script], {
    cwd: filled(step["working-directory"]),
    encoding: "utf8",
    env: {
      PATH: process.env.PATH,
      HOME: temp,
      RUNNER_TEMP: folder,
      ...files,
      ...more,
      ...Object.fromEntries(env.map(([name, value]) => [name, filled(value)])),
    },
  });
  const summary = readFileSync(files.GITHUB_STEP_SUMMARY, "utf8");
  const outputs = Object.fromEntries(
    readFileSync(files.GITHUB_OUTPUT, "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split("=", 2)),
  );
  return { ...ran, summary, outputs, left: readdirSync(folder) };
}

test("a loop: the exit code is the verdict, the square stands in the summary, the receipt is an artifact", () => {
  const task = 'Repair "sum" `now`; $(exit 9)';
  const flags = ["--agent=scripted:agent.json", "--verify=node --test"].join("\n");
  const at = (run: string) => ({ GITHUB_RUN_ID: run, GITHUB_ACTION: "__self" });
  const known = `${flags}\n--known-red=halves a number`;
  const done = action({ task, arguments: known, key: KEY }, at("7"));
  expect(done.status, done.stderr).toBe(0);
  expect(done.outputs["exit-code"]).toBe("0");
  expect(done.summary).toContain("## ✅ Completed and proven");
  expect(done.summary).toContain("| **tests now** |");
  const folder = done.outputs.folder ?? "";
  expect(readdirSync(folder).sort()).toEqual(["receipt.json", "report.md", "report.xml"]);
  expect(existsSync(join(temp, ".config/ccw-loop/receipt.key"))).toBe(false);
  receipt = join(folder, "receipt.json");
  expect(readFileSync(join(folder, "report.xml"), "utf8")).toMatch(/ failures="0" errors="0"/);
  const shown = execFileSync(process.execPath, [LAUNCHER, "show", "ci-7-1---self", "--json"], {
    ...{ cwd: here.dir, encoding: "utf8" },
  });
  expect(JSON.parse(shown).data.loop.description).toBe(task);

  const red = action({ task, arguments: `${flags}\n\n--max-iterations=2\n` }, at("8"));
  expect(red.status, red.stderr).toBe(3);
  expect(red.outputs["exit-code"]).toBe("3");
  expect(red.summary).toContain("❌ Failed");

  const refused = action({ task, arguments: "--no-such-flag" }, at("9"));
  expect(refused).toMatchObject({ status: 2, outputs: { "exit-code": "2" } });
  expect(refused.summary).toContain("ccw-loop ended with 2 before there was a report");
  expect(refused.stderr).toMatch(/^ccw-loop: Unknown option '--no-such-flag'\./);
});

describe("a receipt", () => {
  let clone: string;
  beforeAll(async () => {
    const git = (...args: string[]) =>
      execFileSync("git", args, { cwd: here.dir, encoding: "utf8" });
    git("add", "--all");
    const who = ["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "commit.gpgsign=false"];
    git(...who, "commit", "--quiet", "--message", "repair");
    clone = join(temp, "clone");
    git("clone", "--quiet", `file://${here.dir}`, clone);
  });

  test("of somebody else stands, with the key, in a fresh clone", () => {
    const stands = action({ receipt, key: KEY, "working-directory": clone });
    expect(stands.status, stands.stdout + stands.stderr).toBe(0);
    expect(stands.summary).toMatch(/## ✅ The receipt of .* stands\./);
    expect(stands.summary).toContain("| **tests at the start** |");
    expect(stands.left.filter((name) => name.endsWith(".key"))).toEqual([]);
  });

  test("falls where the files are others", () => {
    writeFileSync(join(clone, "src/sum.js"), "export const sum = () => 3;\n");
    const falls = action({ receipt, key: KEY, "working-directory": clone });
    expect(falls.status).toBe(1);
    expect(falls.summary).toContain("## ❌");
    expect(falls.summary).toContain("### What speaks against it");
  });

  test("that cannot be read leaves no empty summary", () => {
    const unread = action({ receipt: "none.json", key: KEY, "working-directory": clone });
    expect(unread.status).toBe(2);
    expect(unread.stdout).toContain("::error::ccw-loop ended with 2 before there was a report");
    expect(unread.summary).toContain("the log of this step says why");
    expect(unread.stderr).toContain("none.json cannot be read");
  });
});

test.each([
  { task: "", receipt: "" },
  { task: "a", receipt: "b" },
])("what is no use is refused: %j", (inputs) => {
  const refused = action(inputs);
  expect(refused.status).toBe(2);
  expect(refused.stdout).toContain("::error::Give ccw-loop a task or a receipt.");
});
