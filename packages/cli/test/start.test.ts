import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { cp, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { LoopState } from "@ccw-loop/core";
import { fsStore } from "@ccw-loop/store-fs";
import { needTmux } from "@ccw-loop/testkit";
import { transformSync } from "rolldown/utils";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { BIN, BUILT, SOURCE_BIN, TUI_BIN } from "./support/bin.ts";
import { openTerminal } from "./support/terminal.ts";

const run = promisify(execFile);
const ENGINES = "Node ^22.22.2 or >=24.15.0";

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a launcher on a Node, which may pretend to be of another version, or on another platform. */
async function started(
  node: string,
  launcher: string,
  pretended?: string,
  platform: string = process.platform,
): Promise<Ran> {
  const folder = await mkdtemp(join(tmpdir(), "ccw-start-"));
  const file = join(folder, "pretend.cjs");
  const versions = `{ ...process.versions, node: ${JSON.stringify(pretended)} }`;
  // Node 18 has no such function.
  const missing = pretended?.startsWith("18.") ? "getBuiltinModule: { value: undefined }, " : "";
  const values = `{ ${missing}versions: { value: ${versions} }, platform: { value: "${platform}" } }`;
  await writeFile(file, `Object.defineProperties(process, ${values});\n`);
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    ...(pretended === undefined ? {} : { NODE_OPTIONS: `--require "${file}"` }),
  };
  try {
    const ran = await run(node, [launcher, "--version"], { cwd: folder, env });
    return { code: 0, ...ran };
  } catch (error) {
    return error as Ran;
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe.concurrent("a launcher", () => {
  test.each([
    ["18.20.8", BIN],
    ["20.20.2", BIN],
    ["20.20.2", TUI_BIN],
    ["22.22.1", BIN],
    ["23.11.0", BIN],
    ["24.14.9", BIN],
  ])("says on Node %s which one it needs, and where to get it", async (version, launcher) => {
    const { code, stdout, stderr } = await started(process.execPath, launcher, version);
    expect([code, stdout]).toEqual([5, ""]);
    expect(stderr).toBe(
      `ccw-loop needs ${ENGINES}; ${process.execPath} is Node ${version}.\n` +
        "Get it from https://nodejs.org/en/download, and give the same command again.\n",
    );
  });

  test.each(["22.22.2", "22.23.0", "24.15.0", "25.0.0-nightly2026", "26.1.0"])(
    "works on Node %s",
    async (version) => {
      const { code, stdout, stderr } = await started(process.execPath, BIN, version);
      expect([code, stdout, stderr]).toEqual([0, "0.0.0\n", ""]);
    },
  );

  test.each([BIN, TUI_BIN, SOURCE_BIN])("says on Windows where it runs: %s", async (launcher) => {
    const node = process.versions.node;
    const { code, stdout, stderr } = await started(process.execPath, launcher, node, "win32");
    expect([code, stdout]).toEqual([5, ""]);
    expect(stderr).toMatch(/^ccw-loop runs on Linux and macOS; on Windows, run it in WSL .*\n$/);
  });

  test("of a checkout needs the Node that runs the sources, and says what brings it", async () => {
    const { code, stdout, stderr } = await started(process.execPath, SOURCE_BIN, "22.22.2");
    expect([code, stdout]).toEqual([5, ""]);
    const tool = join(import.meta.dirname, "../../../scripts/x.mjs");
    expect(stderr).toBe(
      `ccw-loop needs Node >=24.15.0; ${process.execPath} is Node 22.22.2.\n` +
        `This checkout brings its own: node ${tool} cli ARGS\n`,
    );
  });

  test("of a checkout without its packages says what installs them", async ({ onTestFinished }) => {
    const checkout = await realpath(await mkdtemp(join(tmpdir(), "ccw-checkout-")));
    onTestFinished(() => rm(checkout, { recursive: true }));
    const root = join(import.meta.dirname, "../../..");
    for (const part of ["bin", "src", "package.json"].map((name) => `packages/cli/${name}`)) {
      await cp(join(root, part), join(checkout, part), { recursive: true });
    }
    await cp(join(root, "scripts"), join(checkout, "scripts"), { recursive: true });
    await cp(join(root, "package.json"), join(checkout, "package.json"));
    const launcher = join(checkout, "packages/cli/bin/ccw-loop.js");
    // What needs no argument parser is answered without any package.
    const { code, stderr } = await run(process.execPath, [launcher, "list"]).catch(
      (error) => error,
    );
    expect(code).toBe(5);
    expect(stderr).toContain("The packages of this checkout are not installed.");
    expect(stderr).toContain(`node ${join(checkout, "scripts/x.mjs")} cli ARGS\n`);
  });

  test("says so on every older Node that this machine really has", async ({ skip }) => {
    const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/bin", "/usr/local/bin"];
    const found = globSync(folders.map((folder) => join(folder, "node")));
    const nodes = new Set(await Promise.all(found.map((node) => realpath(node))));
    let older = 0;
    for (const node of nodes) {
      const { stdout } = await run(node, ["--version"]).catch(() => ({ stdout: "" }));
      if (!/^v(18|20)\./.test(stdout)) continue;
      older += 1;
      for (const launcher of [BIN, TUI_BIN]) {
        const ran = await started(node, launcher);
        expect([ran.code, ran.stdout]).toEqual([5, ""]);
        expect(ran.stderr).toContain(`needs ${ENGINES}; `);
        expect(ran.stderr).toContain(` is Node ${stdout.slice(1).trim()}.`);
      }
    }
    if (older === 0) skip("no Node 18 or 20 is installed");
  });
});

/** The files in which something would have to be written in another way for an older engine. */
function tooNew(files: string[], target: string): string[] {
  const asOf = (file: string, version: string) =>
    transformSync(file, readFileSync(file, "utf8"), { target: version }).code;
  return files.filter((file) => asOf(file, target) !== asOf(file, "esnext"));
}

describe("what Node reads before its version is checked", () => {
  const files = globSync(join(import.meta.dirname, "../bin/*.js"));

  test("has no syntax newer than Node 18", () => {
    expect(files).toHaveLength(3);
    expect(tooNew(files, "node18")).toEqual([]);
  });

  test("imports only what Node 18 has", () => {
    const imports = files.flatMap(
      (file) => readFileSync(file, "utf8").match(/^import .*$/gm) ?? [],
    );
    expect([...new Set(imports)]).toEqual(['import { start } from "./start.js";']);
  });
});

test("what is built has no syntax newer than the oldest Node that may run it", () => {
  const files = globSync(join(BUILT, "dist/*.js"));
  expect(files.length).toBeGreaterThan(10);
  expect(tooNew(files, "node22.22")).toEqual([]);
});

test("what is built cuts text whose characters are wide", async ({ skip }) => {
  needTmux(skip);
  const folder = await mkdtemp(join(tmpdir(), "ccw-start-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const created_at = "2026-01-22T10:00:00.000Z";
  const title = "漢字".repeat(60);
  const facts = { loop_id: "wide", title, description: title, created_at, updated_at: created_at };
  const store = fsStore({ root: folder });
  await store.create(LoopState.parse({ ...facts, status: "created" }), { actor: "test" });
  await store.close();
  const terminal = openTerminal(`'${process.execPath}' '${BIN}' list`, folder, {});
  await vi.waitFor(() => expect(terminal.screen()).toContain("EXIT=0"), { timeout: 25_000 });
  // A line that were too long would be continued on the next one.
  const lines = terminal.screen().split("\n");
  expect(lines.filter((line) => line.includes("漢字"))).toEqual([
    expect.stringMatching(/^wide .*…$/),
  ]);
});
