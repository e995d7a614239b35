import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Caller, commandAnywhere, commandInFolder } from "../src/runtime/program-call.ts";

const PACKAGE = "node_modules/@ccw-loop/cli/bin/ccw-loop.js";
let top = "";
beforeAll(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), "ccw-call-")));
  await make("bin/node", "usr/lib/node_modules/@ccw-loop/cli/bin/ccw-loop.js");
  await link("usr/bin/ccw-loop", "usr/lib/node_modules/@ccw-loop/cli/bin/ccw-loop.js");
  await make(`npm/${PACKAGE}`, "npm/inside/package.json", "elsewhere/package.json");
  await link("npm/node_modules/.bin/ccw-loop", `npm/${PACKAGE}`);
  await make(`pnpm/node_modules/.pnpm/a/${PACKAGE}`, "pnpm/node_modules/.bin/ccw-loop");
  await make(`.npm/_npx/8f/${PACKAGE}`);
  await link(".npm/_npx/8f/node_modules/.bin/ccw-loop", `.npm/_npx/8f/${PACKAGE}`);
  await make("clone/package.json", "clone/scripts/x.mjs", "clone/docs/deep/a.md");
  await make("clone/packages/cli/package.json", "clone/packages/cli/bin/ccw-loop.js");
  await make("shims/ccw-loop", "manager/bin/ccw-loop.js", "other bin/node");
});
afterAll(() => rm(top, { recursive: true }));

async function make(...files: string[]): Promise<void> {
  for (const file of files) {
    await mkdir(dirname(join(top, file)), { recursive: true });
    await writeFile(join(top, file), "");
  }
}

async function link(path: string, target: string): Promise<void> {
  await mkdir(dirname(join(top, path)), { recursive: true });
  await symlink(join(top, target), join(top, path));
}

/** What is typed where the caller is and anywhere, with the temporary folder as `T`. */
function calls(bin: string, cwd: string, path: string[], node = "bin/node") {
  const caller: Caller = {
    bin: join(top, bin),
    cwd: join(top, cwd),
    execPath: join(top, node),
    path: path.map((folder) => join(top, folder)).join(delimiter),
  };
  return [commandInFolder(caller), commandAnywhere(caller)].map((call) =>
    call.replaceAll(top, "T"),
  );
}

describe("the program is called", () => {
  const global = "usr/lib/node_modules/@ccw-loop/cli/bin/ccw-loop.js";

  test("by its name where it is installed for all projects", () => {
    expect(calls(global, "elsewhere", ["usr/bin", "bin"])).toEqual(["ccw-loop", "ccw-loop"]);
  });

  test.each([
    ["npm", `npm/${PACKAGE}`],
    ["npm/inside", `npm/${PACKAGE}`],
    ["pnpm", `pnpm/node_modules/.pnpm/a/${PACKAGE}`],
  ])("by npx in a project that has it: %s", (cwd, bin) => {
    // npx itself puts that folder into PATH, where the user's shell does not have it.
    const path = ["npm/node_modules/.bin", "pnpm/node_modules/.bin", "bin"];
    expect(calls(bin, cwd, path)).toEqual(["npx ccw-loop", `node T/${bin}`]);
  });

  test("by its path where only another project has it", () => {
    const bin = `npm/${PACKAGE}`;
    expect(calls(bin, "elsewhere", ["bin"])).toEqual([`node T/${bin}`, `node T/${bin}`]);
    expect(calls(bin, "pnpm", ["bin"])).toEqual([`node T/${bin}`, `node T/${bin}`]);
  });

  test("by npx and its package where npx brought it", () => {
    const call = "npx -p @ccw-loop/cli ccw-loop";
    expect(calls(`.npm/_npx/8f/${PACKAGE}`, "elsewhere", ["bin"])).toEqual([call, call]);
  });

  test("by the script of a checkout that brings Node along", () => {
    const bin = "clone/packages/cli/bin/ccw-loop.js";
    const script = "node T/clone/scripts/x.mjs cli";
    expect(calls(bin, "clone", ["bin"])).toEqual(["npm run -s cli --", script]);
    expect(calls(bin, "clone/docs/deep", ["bin"])).toEqual(["npm run -s cli --", script]);
    // Its nearest package.json has no such script.
    expect(calls(bin, "clone/packages/cli", ["bin"])).toEqual([script, script]);
    expect(calls(bin, "elsewhere", ["shims", "bin"])).toEqual([script, script]);
  });

  test("by its name where a version manager starts it", () => {
    const found = calls("manager/bin/ccw-loop.js", "elsewhere", ["shims", "bin"]);
    expect(found).toEqual(["ccw-loop", "ccw-loop"]);
  });

  test("by its path where the name belongs to another installation", () => {
    const call = "node T/manager/bin/ccw-loop.js";
    expect(calls("manager/bin/ccw-loop.js", "elsewhere", ["usr/bin", "bin"])).toEqual([call, call]);
  });

  test("with the path of Node where the shell finds another one, or none", () => {
    const bin = "manager/bin/ccw-loop.js";
    const call = "'T/other bin/node' T/manager/bin/ccw-loop.js";
    for (const path of [["bin"], ["elsewhere"]]) {
      expect(calls(bin, "elsewhere", path, "other bin/node")).toEqual([call, call]);
    }
  });
});
