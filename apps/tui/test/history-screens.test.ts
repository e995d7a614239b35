import { appendFileSync, existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { passingVerifier, sampleVerification, tempRepo } from "@ccw-loop/testkit";
import { gitWorkspace } from "@ccw-loop/workspace-git";
import { describe, expect, it, onTestFinished } from "vitest";
import { themeFor } from "../src/app/theme.ts";
import { openedState, topScreen } from "../src/model/model.ts";
import { diffContent } from "../src/screens/diff.ts";
import { answered, caughtUp, driven, PLAN, realLoop } from "./support/real-loop.ts";
import { looking, recording, type Told } from "./support/recorded-loop.ts";
import { fittingFrame, frameOf, heard, labelsOn, paintedFrame } from "./support/seen.tsx";
import { SIZES } from "./support/sizes.ts";

const [SIZE] = SIZES;
const DARK = themeFor({ color: true, env: {}, plain: false });
const screen = ({ model }: Told) => frameOf(model).join("\n");
const plain = ({ model }: Told) => heard(model);
const labels = ({ model }: Told) => labelsOn(model);

function requireFitsEverywhere(told: Told): void {
  for (const size of SIZES) fittingFrame(told.tell({ type: "resized", size }).model);
  told.tell({ type: "resized", size: SIZE });
}

/** A loop in a git repository that was driven to its end, with its timeline open. */
async function finished() {
  const repo = await tempRepo({ "a.js": "1\n" });
  onTestFinished(async () => {
    await repo.remove();
    await rm(`${repo.path}.worktrees`, { recursive: true, force: true, maxRetries: 10 });
  });
  const loop = await realLoop({ turns: PLAN, workspace: gitWorkspace }, repo.path);
  await driven(loop);
  const told = looking(loop.seen, SIZE).press("T");
  expect(screen(told)).toContain("Asking …");
  await answered(told, loop);
  return { ...loop, told };
}

describe("the timeline", () => {
  it("tells every action, shows what each one changed, and forks behind a question", async () => {
    const loop = await finished();
    const { told } = loop;
    requireFitsEverywhere(told);
    for (const part of ["INIT", "DEVELOP", "VALIDATE", "COMPLETE", "MESSAGE", "1/1"]) {
      expect(screen(told)).toContain(part);
    }
    expect(labels(told.press("down"))).not.toContain("diff");
    expect(labels(told.press("up"))).toEqual(expect.arrayContaining(["diff", "rewind", "fork"]));
    expect(plain(told)).toMatch(/selected: # 3, TIME .*, ACTION VALIDATE/);

    told.press("up", "enter");
    expect(screen(told)).toContain("Asking …");
    await answered(told, loop);
    requireFitsEverywhere(told);
    expect(screen(told)).toContain("1 file, +1 -0, from checkpoint 1 to 2");
    expect(screen(told)).toContain("added  +1 -0  flag.js");
    const added = paintedFrame(told.model, DARK).find((row) => row.includes("+1\u001B"));
    expect(added).toContain("\u001B[32m+1\u001B[39m");

    told.press("esc", "F");
    expect(screen(told)).toContain("Fork at checkpoint 2?");
    await answered(told.press("y"), loop);
    expect(told.model.notice?.text).toMatch(/"Add a flag \(fork at 2\)", is made\. It works in /);
    expect((await loop.service.list()).loops).toHaveLength(2);
  });

  it("goes back behind a question, asks once more where work of others would be lost, and leaves the rest of it", async () => {
    const loop = await finished();
    const { told } = loop;
    told.press("up", "up", "up", "R");
    expect(screen(told)).toContain("Rewind to checkpoint 1?");
    await answered(told.press("n"), loop);
    expect((await loop.service.get("cart")).status).toBe("completed");

    appendFileSync(join(loop.cwd, "mine.txt"), "my own work\n");
    appendFileSync(join(loop.cwd, "flag.js"), "my own work\n");
    await answered(told.press("R", "y"), loop);
    expect(screen(told)).toContain("Rewind to checkpoint 1 all the same?");
    expect(screen(told)).toContain("flag.js");
    expect((await loop.service.get("cart")).status).toBe("completed");

    await answered(told.press("y"), loop);
    expect(told.model.notice?.text).toMatch(
      /1 changed from outside stay as they are\. Files as they were before: git restore --source=/,
    );
    expect(existsSync(join(loop.cwd, "mine.txt"))).toBe(true);
    expect(existsSync(join(loop.cwd, "flag.js"))).toBe(false);
    await caughtUp(await answered(told, loop), loop);
    expect(openedState(told.model)?.status).toBe("paused");
    expect(screen(told)).toContain("rewound");
  });
});

describe("a diff", () => {
  const HERE = {
    name: "/repo/cart",
    drives: true,
    asTyped: (text: string) => text.replaceAll("ccw-loop ", "npx ccw-loop "),
  };
  const file = { path: "a", kind: "modified", added: 1, removed: 1 } as const;

  it("of a huge patch is bounded, and says how much is missing and where the rest is", () => {
    const patch = "+x\n".repeat(100_000);
    const lines = diffContent({ from: 1, to: 2, files: [file], patch }, "cart", HERE);
    expect(lines.length).toBeLessThan(21_000);
    expect(lines.at(-1)?.text).toBe(
      "… 80 % of the patch is left out here; all of it: npx ccw-loop diff cart 1..2",
    );
  });

  it("of many files tells the first, and how many more there are", () => {
    const files = Array.from({ length: 700 }, (_, i) => ({ ...file, path: `f${i}` }));
    const texts = diffContent({ from: 0, to: 2, files, patch: "" }, "cart", HERE).map(
      ({ text }) => text,
    );
    expect(texts[0]).toBe("700 files, +700 -700, from checkpoint 0 to 2");
    expect(texts).toContain("… and 200 files more");
  });

  it("of one endless line is bounded, too", () => {
    const patch = `+${"x".repeat(10_000_000)}`;
    const lines = diffContent({ from: 1, to: 2, files: [file], patch }, "cart", HERE);
    expect(lines.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(5_000_000);
    expect(lines.at(-1)?.text).toContain("60 % of the patch is left out");
  });
});

describe("the receipt", () => {
  it("says first what it proves, then every row, and whether it still stands when asked", async () => {
    const loop = await realLoop({ turns: PLAN });
    await driven(loop);
    const told = looking(loop.seen, SIZE).press("v");
    requireFitsEverywhere(told);
    expect(screen(told)).toContain("It proves the work: these tests passed on the files");
    for (const name of ["Receipt", "Command", "Tests", "Seal"]) {
      expect(plain(told)).toMatch(new RegExp(`^${name} `, "m"));
    }
    told.press("c");
    expect(screen(told)).toContain("Checking it again");
    expect(labels(told)).not.toContain("check it again");
    await answered(told, loop);
    expect(screen(told)).toContain("The receipt of loop cart stands.");
    expect(labels(told)).toContain("check it again");
  });

  it("says what does not fit when the same tests fail now", async () => {
    let passes = true;
    const verifier = { ...passingVerifier(), verify: async () => sampleVerification(passes) };
    const loop = await realLoop({ turns: PLAN, verifier });
    await driven(loop);
    passes = false;
    const told = looking(loop.seen, SIZE).press("v", "c");
    await answered(told, loop);
    expect(screen(told)).toMatch(/The receipt of loop cart does not stand: \d problem/);
    requireFitsEverywhere(told);
  });

  it.each([
    ["out-of-iterations", "It proves that the work is not done: "],
    ["objections", "objections stand against the proof."],
    ["debugged", "It proves the work: "],
  ] as const)("of the recorded loop %s says: %s", (name, sentence) => {
    const told = looking(recording(name), SIZE);
    if (topScreen(told.model).kind === "answer") told.press("esc");
    told.press("v");
    expect(plain(told)).toContain(sentence);
  });
});

describe("why", () => {
  it("tells the rule, what it looked at, and who drives the loop", async () => {
    const loop = await realLoop({ turns: PLAN });
    const told = looking(loop.seen, SIZE).press("w");
    await answered(told, loop);
    requireFitsEverywhere(told);
    expect(plain(told)).toContain("Nothing is next: The loop was not started yet.");
    expect(plain(told)).toMatch(/^Rule +1$/m);
    expect(plain(told)).toMatch(/^Driven by +nobody$/m);
    expect(topScreen(told.press("esc").model).kind).toBe("loop");
  });

  it("is left with the reason when the service does not answer", async () => {
    const loop = await realLoop({ turns: PLAN });
    const told = looking(recording("debugged"), SIZE, 200).press("w");
    await loop.service.delete("cart");
    await answered(told, loop);
    expect(topScreen(told.model).kind).toBe("loop");
    expect(told.model.notice?.tone).toBe("bad");
  });
});

it("reopens a loop that stopped at its bound with that bound raised, and says to what first", () => {
  const told = looking(recording("out-of-iterations"), { columns: 100, rows: 30 });
  const before = openedState(told.model)?.max_iterations ?? 0;
  told.effects.length = 0;
  told.press("p");
  expect(screen(told)).toMatch(/Its bounds are raised: iterations to \d+\./);
  expect(told.effects).toEqual([]);
  told.press("y");
  const [effect] = told.effects;
  expect(effect).toMatchObject({
    call: { name: "send", command: { type: "resume", reopen: true } },
  });
  const { command } = (effect as { call: { command: { changes?: { max_iterations?: number } } } })
    .call;
  expect(command.changes?.max_iterations).toBeGreaterThan(before);
});
