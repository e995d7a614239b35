import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { endMarked, endOrphans } from "../src/process/marked.ts";
import { MARK_NAME, newMark, ownerOf } from "../src/process/owner.ts";

interface Marked {
  child: ChildProcess;
  /** Somebody else's agent on this machine may end orphans too, at any moment. */
  ended: Promise<unknown>;
}

const children: ChildProcess[] = [];

/** A process in a session of its own, with this mark in its environment or its arguments. */
async function marked(mark: string, place: "environ" | "cmdline" = "environ"): Promise<Marked> {
  const env = { PATH: process.env.PATH, ...(place === "environ" ? { [MARK_NAME]: mark } : {}) };
  const argument = place === "cmdline" ? `set.${MARK_NAME}="${mark}"` : "";
  const script = "console.log('up'); setInterval(() => {}, 1000)";
  const child = spawn(process.execPath, ["-e", script, argument], { env, detached: true });
  children.push(child);
  const ended = once(child, "exit");
  await once(child.stdout, "readable");
  return { child, ended };
}

function hasEnded({ child }: Marked): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

describe.runIf(process.platform === "linux")("processes with our mark", () => {
  it("are ended wherever they are, and no others", async () => {
    const [ours, others] = [newMark(), newMark()];
    const [a, b, c] = [await marked(ours), await marked(ours), await marked(others)];
    expect(await endMarked(ours)).toEqual([]);
    await Promise.all([a.ended, b.ended]);
    expect([a, b, c].map(hasEnded)).toEqual([true, true, false]);
  });

  it("of a dead owner are orphans, of a living one are not", async () => {
    const mark = newMark();
    const started = ownerOf(mark)?.started ?? "";
    const orphaned = mark.replace(`.${started}.`, ".1.");
    const [command, codex, alive] = [
      await marked(orphaned),
      await marked(orphaned, "cmdline"),
      await marked(mark),
    ];
    await endOrphans();
    await Promise.all([command.ended, codex.ended]);
    expect(hasEnded(alive)).toBe(false);
  });

  it("of another container are left alone", async () => {
    const foreign = newMark()
      .replace(/^\d+/, "1")
      .replace(/\.\d+\.\d+\./, ".1.1.");
    const child = await marked(foreign);
    await endOrphans();
    expect(hasEnded(child)).toBe(false);
  });
});
