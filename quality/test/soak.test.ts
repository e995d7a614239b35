/** @module-tag slow */
/** A small piece of each soak, and whether its judges see what they are there to see. */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import type { LoopState } from "@ccw-loop/core";
import { fsStore } from "@ccw-loop/store-fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { foreignReader } from "../soak/src/files/foreign-reader.ts";
import { Ledger } from "../soak/src/files/ledger.ts";
import { fullDisk, fullDiskLine } from "../soak/src/full-disk/full-disk.ts";
import { killsLine, missingIn, soak } from "../soak/src/kills/kills.ts";
import { makeProject, workedTwice } from "../soak/src/kills/project.ts";
import {
  linearizability,
  linearizableLine,
  violationIn,
} from "../soak/src/linearizable/linearizable.ts";

const quiet = () => undefined;
const linux = process.platform === "linux";

describe.runIf(linux)("a small piece of the soak", () => {
  test("processes are killed: nothing is lost, unreadable or done twice", async () => {
    const result = await soak({ kills: 8, seed: 7, onProgress: quiet });
    expect(result.broken).toEqual([]);
    expect(result.missing).toEqual([]);
    expect(killsLine(result)).toMatch(/^kills: \d+, lost: 0, unreadable: 0, twice: 0$/);
    expect(result.reads).toBeGreaterThan(50);
  }, 400_000);

  test("commands of five processes to one loop are linearizable", async () => {
    const result = await linearizability(160, 7);
    expect(result.violations).toEqual([]);
    expect(result.missing).toEqual([]);
    expect(linearizableLine(result)).toMatch(/^operations: 1\d\d, loops: 4, unknown: \d+, viol/);
  }, 400_000);

  test("a full disk is named, nothing is lost, and everything goes on with space again", async (context) => {
    const result = await fullDisk(quiet, { pagesLeft: [0, 2], commits: [1, 4, 8] });
    if (result.skipped !== null) context.skip(result.skipped);
    expect(result.problems).toEqual([]);
    expect(result.missing).toEqual([]);
    expect(fullDiskLine(result)).toMatch(/^acked: \d{2,}, lost: 0, steps done: \d/);
  }, 400_000);
});

describe("the judges", () => {
  test("a commit that is not recorded, or holds something else, or was won twice, is lost", () => {
    const ledger = new Ledger();
    ledger.add({ loop: "a", revision: 1, facts: "one" });
    ledger.add({ loop: "a", revision: 2, facts: "two" });
    ledger.lookFor(
      "a",
      new Map([
        [1, "one"],
        [2, "two"],
      ]),
    );
    expect(ledger.lost).toEqual([]);
    ledger.lookFor("a", new Map([[2, "other"]]));
    expect(ledger.lost).toHaveLength(2);
    ledger.add({ loop: "a", revision: 2, facts: "somebody else" });
    expect(ledger.lost).toHaveLength(3);
  });

  test("kills that met nobody in the middle of anything do not count, however many", () => {
    const enough = { inCommit: 2, interrupted: 2, lostLease: 1, acknowledged: 40, reads: 40 };
    expect(missingIn({ kills: 40, ...enough })).toEqual([]);
    for (const event of Object.keys(enough)) {
      const [sentence, ...more] = missingIn({ kills: 40, ...enough, [event]: 0 });
      expect(sentence).toMatch(/^This run does not count: ".*" happened 0 times in 40 kills/);
      expect(more).toEqual([]);
    }
  });

  test("answers that no order explains are no life of one loop", async () => {
    const { root } = await makeProject(1);
    onTestFinished(() => rmSync(root, { recursive: true }));
    const store = fsStore({ root });
    const { state: initial } = await store.read("loop-0");
    await store.close();
    const call = (at: number, type: "start" | "pause", status: LoopState["status"]) => ({
      process: `${at}`,
      ...{ called: at, returned: at + 1, input: { type }, answer: { status } },
    });
    const started = call(1, "start", "running");
    const paused = call(3, "pause", "paused");
    expect(violationIn({ initial, calls: [started, paused] })).toEqual([]);
    expect(violationIn({ initial, calls: [paused] })).toHaveLength(1);
    const again = { ...call(5, "start", "running"), process: "3" };
    const twice = call(7, "start", "running");
    expect(violationIn({ initial, calls: [started, again, twice] })).toHaveLength(1);
  });

  test("a file that is cut off, or that is gone, is unreadable", async () => {
    const { root, folder } = await makeProject(1);
    onTestFinished(() => rmSync(root, { recursive: true }));
    const reader = foreignReader();
    expect(reader.read(folder).problems).toEqual([]);
    const path = join(folder, "loop-0.json");
    truncateSync(path, 100);
    expect(reader.read(folder).problems).toHaveLength(1);
    rmSync(path);
    expect(reader.read(folder).problems).toHaveLength(1);
  });

  test.runIf(linux)("two that work at the same time are found", async () => {
    const { root, folder, loops } = await makeProject(1);
    onTestFinished(() => rmSync(root, { recursive: true }));
    const script = JSON.parse(readFileSync(join(root, "loop-0.agent.json"), "utf8"));
    const command: string = script.turns[0].steps[0].run;
    const project = { root, folder, loops };
    execFileSync("sh", ["-c", `${command}; ${command}`]);
    expect(workedTwice(project)).toEqual([]);
    execFileSync("sh", ["-c", `(${command}) & sleep 0.05; ${command}; wait`]);
    expect(workedTwice(project)).toHaveLength(1);
  });
});
