import { expect, test } from "vitest";
import { honest, lies } from "../peers/src/lies.ts";
import { playJob, playLie, type Surroundings } from "../peers/src/play.ts";
import { tools } from "../peers/src/tools.ts";
import { CLI } from "../support/command-line.ts";
import { temporaryFolder } from "../support/folders.ts";

const base = temporaryFolder("peers-test");
const at: Surroundings = { base, installedAt: () => base, launcher: CLI };
const [floor, ours] = ["shell loop", "ccw-loop"].map((name) => {
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw new Error(`There is no ${name}.`);
  return tool;
});

test("both end the job, and an honest edit", { tags: ["slow"], timeout: 120_000 }, async () => {
  for (const tool of [floor, ours]) {
    if (!tool) continue;
    expect(await playJob(tool, at, 0), tool.name).toMatchObject({ isDone: true, exit: 0 });
    expect(await playLie(tool, at, honest), tool.name).toMatchObject({ isDone: true });
  }
});

test("an agent that deletes the red tests is believed by a shell loop, and not by ours", {
  ...{ tags: ["slow"], timeout: 120_000 },
}, async () => {
  const lie = lies.find(({ name }) => name === "deletes the red tests");
  if (!lie || !floor || !ours) throw new Error("There is no such lie.");
  expect(await playLie(floor, at, lie)).toMatchObject({ isDone: true });
  expect(await playLie(ours, at, lie)).toMatchObject({ isDone: false });
});
