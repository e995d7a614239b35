import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { works } from "@ccw-loop/testkit";
import { expect, onTestFinished, test } from "vitest";
import { BUBBLEWRAP, sandboxCommand } from "../src/clean-room/sandbox.ts";

const LATER = new Date(Date.now() + 24 * 60 * 60 * 1000);

/** A folder in a temporary folder, with files of these names. */
function folderIn(place: string, ...names: string[]): string {
  const folder = realpathSync(mkdtempSync(join(place, "ccw-covers-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of names) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), name);
  }
  return folder;
}

/** The lines that a shell command prints in a clean room with these surroundings. */
function printed(command: string, since: Date, newer: readonly string[] = []): string[] {
  const folder = folderIn(tmpdir(), "project/cart.js", "room/work/cart.js");
  const [project, top] = [join(folder, "project"), join(folder, "room/work")];
  const room = { project, top, linked: [], surroundings: { since, newer } };
  const [program = "", ...words] = sandboxCommand(room, { hidden: [] }) ?? [];
  const run = spawnSync(program, [...words, "sh", "-c", command], { encoding: "utf8", cwd: top });
  expect(run.stderr).toBe("");
  return run.stdout.split("\n").filter(Boolean);
}

const CAN = works(...BUBBLEWRAP);

test.runIf(CAN)("a room has temporary folders without what came into them since", () => {
  for (const place of [tmpdir(), "/dev/shm"]) {
    const began = new Date(Date.now() - 1000);
    const folder = folderIn(place, "left.sock");
    const asks = `test ! -e ${folder} && echo new > ${place}/of-the-room && ls ${place}`;
    expect(printed(asks, began)).toContain("of-the-room");
  }
});

test.runIf(CAN)("what was in them before, a room sees", () => {
  expect(printed(`ls ${folderIn("/dev/shm", "older")}`, LATER)).toEqual(["older"]);
});

test.runIf(CAN)("of a folder that is older, a room sees what is older too", () => {
  const folder = folderIn("/dev/shm", "older");
  const began = new Date(statSync(join(folder, "older")).ctimeMs + 1);
  const newer = join(folder, "newer");
  do {
    rmSync(newer, { force: true });
    writeFileSync(newer, "");
  } while (statSync(folder).ctime <= began);
  expect(printed(`ls ${folder}`, began)).toEqual(["older"]);
});

test.runIf(CAN)(
  "a room is without files and folders that are newer, and sees all beside them",
  () => {
    const folder = folderIn(
      "/var/tmp",
      "kept.py",
      "changed.py",
      "added/one.py",
      "inner/deep/two.py",
    );
    const newer = ["changed.py", "added", "inner/deep/two.py"].map((name) => join(folder, name));
    expect(printed(`cd ${folder} && find . -type f`, LATER, newer)).toEqual(["./kept.py"]);
  },
);

test.runIf(CAN)("where a folder holds too much, something empty lies over what is newer", () => {
  const names = Array.from({ length: 500 }, (_, n) => `file${n}`);
  const folder = folderIn("/var/tmp", ...names, "added/one.py");
  const newer = [join(folder, "file7"), join(folder, "added")];
  expect(printed(`cd ${folder} && cat file7 file8; ls added`, LATER, newer)).toEqual(["file8"]);
});
