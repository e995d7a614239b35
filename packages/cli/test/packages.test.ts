/** @module-tag slow */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Objection } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import { BIN } from "./support/bin.ts";
import { CONFIG } from "./support/fake-io.ts";
import { commitAll, type Project, plan, project, stateOf } from "./support/project.ts";
import { repairs, TEST_FILE, testedProject, writes } from "./support/tested-project.ts";

const TESTS = `import assert from "node:assert/strict";
import { test } from "node:test";
import { three } from "dep";
import { sum } from "../src/sum.js";

test("adds two numbers", () => {
  assert.equal(sum(1, 2), three);
});
`;

/** Repairs the source, and changes an installed package. */
const patches = {
  ...repairs,
  steps: [...repairs.steps, { run: "echo '// Read.' >> node_modules/dep/index.js" }],
};

/** A tested project with a package that was installed from a folder of its own, with or without a lockfile. */
async function withPackage(lockfile: boolean, turn = patches): Promise<Project> {
  const here = await testedProject(plan, turn);
  const files = {
    ".gitignore": "node_modules\n.workflow\n",
    ".npmrc": `install-links=true\npackage-lock=${lockfile}\n`,
    "vendor/dep/package.json": JSON.stringify({ name: "dep", version: "1.0.0", type: "module" }),
    "vendor/dep/index.js": "export const three = 3;\n",
    [TEST_FILE]: TESTS,
  };
  await mkdir(join(here.dir, "vendor/dep"), { recursive: true });
  for (const [path, text] of Object.entries(files)) await writeFile(join(here.dir, path), text);
  const place = join(here.dir, "package.json");
  const json = JSON.parse(await readFile(place, "utf8"));
  await writeFile(place, JSON.stringify({ ...json, dependencies: { dep: "file:vendor/dep" } }));
  execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund"], { cwd: here.dir });
  await commitAll(here);
  return here;
}

/** The same installed by pnpm, which shares the files of a package with its store, and falsified there by the agent. */
async function withPackageOfPnpm(): Promise<Project> {
  const falsifies = writes({ "src/sum.js": "export const sum = (a, b) => (a - b);\n" });
  const lie = { run: "echo 'export const three = -1;' > node_modules/dep/index.js" };
  const here = await testedProject(plan, { ...falsifies, steps: [...falsifies.steps, lie] });
  const json = { type: "module", private: true, dependencies: { dep: "file:vendor/dep.tgz" } };
  const files = {
    ".gitignore": "node_modules\n.workflow\n.store\n",
    "package.json": JSON.stringify(json),
    "pnpm-workspace.yaml": `storeDir: ${join(here.dir, ".store")}\npackageImportMethod: hardlink\n`,
    "packed/package.json": JSON.stringify({ name: "dep", version: "1.0.0", type: "module" }),
    "packed/index.js": "export const three = 3;\n",
    "src/sum.js": "export const sum = (a, b) => a - b;\n",
    [TEST_FILE]: TESTS,
  };
  for (const folder of ["packed", "vendor"]) await mkdir(join(here.dir, folder));
  for (const [path, text] of Object.entries(files)) await writeFile(join(here.dir, path), text);
  const packing = ["--transform", "s,^packed,package,", "packed"];
  execFileSync("tar", ["-czf", "vendor/dep.tgz", ...packing], { cwd: here.dir });
  await rm(join(here.dir, "packed"), { recursive: true });
  execFileSync("pnpm", ["install", "--offline"], { cwd: here.dir, stdio: "pipe" });
  await commitAll(here);
  return here;
}

const canPnpm = spawnSync("pnpm", ["--version"]).status === 0;

const run = (here: Project) =>
  here.cli("run", "--auto", ...here.flags, "--loop-id", "a", "--create", "Repair sum");

describe("a package that was changed after the start", () => {
  test("is installed anew for the proof, as the lockfile says", async () => {
    await using here = await withPackage(true);
    const { code, out, err } = await run(here);
    expect(code, `${out}\n${err}`).toBe(0);
    expect((await stateOf(here, "a")).receipts?.at(-1)?.square?.cells.verdict).toMatchObject({
      where: "clean_room",
      counts: { passed: 1, failed: 0 },
    });
  });

  test.skipIf(!canPnpm)(
    "is installed anew by pnpm, whose own store has the lie as well",
    async () => {
      await using here = await withPackageOfPnpm();
      const installed = join(here.dir, "node_modules/dep/index.js");
      expect((await stat(installed)).nlink).toBe(2);
      const { code, out } = await run(here);
      expect(code, out).toBe(4);
      const receipt = (await stateOf(here, "a")).receipts.at(-1);
      expect(receipt).toMatchObject({ passed: true, objections: [{ kind: "verdict" }] });
      expect(receipt.square.cells.verdict).toMatchObject({ counts: { passed: 0, failed: 1 } });
    },
  );

  test("is named where no lockfile says what it was", async () => {
    await using here = await withPackage(false);
    const { code, out } = await run(here);
    expect(code, out).toBe(4);
    const objections: Objection[] = (await stateOf(here, "a")).receipts?.at(-1)?.objections ?? [];
    expect(objections.map(({ kind }) => kind).sort()).toEqual(["packages", "verdict"]);
    expect(objections.find(({ kind }) => kind === "packages")?.message).toContain(
      "no lockfile says how to install them anew, so the clean room is without them: node_modules/dep/index.js.",
    );
  });
});

test("tests of the clean room that write into the project's packages are an objection", async () => {
  await using here = await withPackage(true, repairs);
  const place = join(here.dir, "node_modules/dep/index.js");
  const reach = `import { appendFileSync } from "node:fs";
if (!import.meta.url.includes(${JSON.stringify(here.dir)})) appendFileSync(${JSON.stringify(place)}, "//");
`;
  await writeFile(join(here.dir, TEST_FILE), `${reach}${TESTS}`);
  // On a machine without bubblewrap nothing hides the project.
  const programs = join(CONFIG, "programs");
  await mkdir(programs, { recursive: true });
  await writeFile(join(programs, "bwrap"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  const env = { ...process.env, XDG_CONFIG_HOME: CONFIG, PATH: `${programs}:${process.env.PATH}` };
  const args = ["run", "--auto", ...here.flags, "--loop-id", "a", "--create", "Repair sum"];
  const { status, stdout } = spawnSync(process.execPath, [BIN, ...args], {
    ...{ cwd: here.dir, env, encoding: "utf8" },
  });
  expect(status, stdout).toBe(4);
  expect(await readFile(place, "utf8")).toContain("//");
  const { objections } = (await stateOf(here, "a")).receipts.at(-1);
  expect(objections).toMatchObject([
    {
      kind: "packages",
      message:
        "Tests that ran in the clean room changed what is installed in the project: node_modules/dep/index.js.",
    },
  ]);
});

test("a submodule is in the clean room, so that a loop beside it can be proven", async () => {
  await using here = await testedProject(plan, repairs);
  await using library = await project(plan);
  await writeFile(join(library.dir, "three.js"), "export const three = 3;\n");
  await commitAll(library);
  await writeFile(join(here.dir, ".gitignore"), ".workflow\n");
  await writeFile(join(here.dir, TEST_FILE), TESTS.replace('"dep"', '"../vendor/lib/three.js"'));
  const add = ["submodule", "--quiet", "add", library.dir, "vendor/lib"];
  execFileSync("git", ["-c", "protocol.file.allow=always", ...add], { cwd: here.dir });
  const { code, out } = await run(here);
  expect([code, out]).toEqual([0, expect.stringContaining("Completed and proven")]);
});
