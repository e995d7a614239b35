import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, realpath, writeFile } from "node:fs/promises";
import { dirname, join, posix, sep } from "node:path";
import {
  type CellRun,
  type Checkout,
  clip,
  fileOfTest,
  identified,
  isLoopError,
  type ReviewTest,
  systemCode,
  type Verification,
  type VerifyPlan,
} from "@ccw-loop/core";
import { cellRun, type Judged } from "./cells.ts";
import { inCleanRooms, type Rooms, runInRoom, type SquareDeps } from "./rooms.ts";

/** The files that are tested, and how; `present` is a run of them without the reviewer's tests. */
export interface Tested {
  plan: VerifyPlan;
  commit: string;
  installed: string | undefined;
  changed: readonly string[];
  present: Verification;
}

export type PlainTest = Pick<ReviewTest, "path" | "text">;

type Ended = Pick<ReviewTest, "result" | "reason">;

/** More of an output says nothing more to a person who is asked. */
const OUTPUT_KEPT = 1000;

/**
 * Runs a reviewer's tests beside the present files in a clean room, by the project's own command. A test that overwrites a
 * file or leads out of the room is not put there. Answers in the order of the tests.
 */
export async function runReviewTests(
  deps: SquareDeps,
  state: Judged,
  tests: readonly PlainTest[],
  tested: Tested,
): Promise<Ended[]> {
  const { commit, installed, changed } = tested;
  try {
    return await inCleanRooms(deps, { start: commit, installed, changed }, async (rooms) => {
      const make = () => rooms.make({ commit, paths: [] });
      const room = await make();
      const problems: (string | null)[] = [];
      for (const test of tests) problems.push(await putInto(room, test));
      const placed = tests.filter((_, i) => problems[i] === null).map(({ path }) => path);
      const ends =
        placed.length === 0 ? [] : await runPlaced(deps, state, { ...tested, room, make, placed });
      const endOf = new Map(placed.map((path, i) => [path, ends[i]]));
      return tests.map(
        ({ path }, i) => endOf.get(path) ?? notRun(problems[i] ?? "It was not run."),
      );
    });
  } catch (error) {
    if (deps.signal.aborted || !isLoopError(error, "invalid_input", "verify_unavailable"))
      throw error;
    return tests.map(() => notRun(`There is no clean room for it: ${error.message}`));
  }
}

interface Placed extends Tested {
  room: Checkout;
  make: () => ReturnType<Rooms["make"]>;
  placed: readonly string[];
}

async function runPlaced(
  deps: SquareDeps,
  state: Judged,
  { plan, present, room, make, placed }: Placed,
): Promise<Ended[]> {
  const run = await runInRoom(deps, room, plan);
  const [now, before] = [cellRun(state, run), cellRun(state, present)];
  const own = Object.keys(now.tests).filter((id) => !Object.hasOwn(before.tests, id));
  const ownRed = own.filter((id) => now.tests[id] === "failed");
  // Where no test of theirs tells, the same room without them does.
  const isUnclear = ownRed.length === 0 && !now.passed;
  const red = isUnclear
    ? redBeside(now, cellRun(state, await runInRoom(deps, await make(), plan)))
    : ownRed;
  const fileOf = (id: string) => (placed.length === 1 ? placed[0] : fileOfTest(id, placed));
  const unplaced = red.filter((id) => fileOf(id) === undefined);
  return placed.map((path) => {
    const all = own.filter((id) => fileOf(id) === path);
    const failed = red.filter((id) => fileOf(id) === path);
    // A run that names no file speaks of those that it names nothing else of.
    const blamed = failed.length > 0 || all.length > 0 ? failed : unplaced;
    if (blamed.length > 0) return { result: "failed", reason: outputOf(run, blamed) };
    return all.length > 0
      ? { result: "passed", reason: "" }
      : notRun("No runner of the project took it.");
  });
}

/** What is red with the tests and not without them; the run as a whole where it names nothing. */
function redBeside(now: CellRun, without: CellRun): string[] {
  const red = Object.keys(now.tests).filter(
    (id) => now.tests[id] === "failed" && without.tests[id] !== "failed",
  );
  return red.length === 0 && without.passed ? [now.reason] : red;
}

function outputOf(run: Verification, red: readonly string[]): string {
  const [first = ""] = red;
  const message = identified(run.tests).find(([id]) => id === first)?.[1].error_message;
  const more = red.length > 1 ? ` and ${red.length - 1} more` : "";
  const said = (message ?? run.output_tail).trim();
  return clip(`${first}${more}. ${said}`.trim(), OUTPUT_KEPT);
}

function notRun(reason: string): Ended {
  return { result: "not_run", reason };
}

/** Why a test cannot be put into the room; null where it lies there now. */
async function putInto({ cwd }: Checkout, { path, text }: PlainTest): Promise<string | null> {
  const parts = path.split("/");
  const isPlain = posix.normalize(path) === path && !posix.isAbsolute(path) && !path.includes("\\");
  if (!isPlain || parts.includes("..") || path.includes("\0")) {
    return "It names no path in the project.";
  }
  const top = await realpath(cwd);
  const target = join(top, path);
  let folder = dirname(target);
  while (!existsSync(folder)) folder = dirname(folder);
  const real = await realpath(folder);
  if (real !== top && !real.startsWith(`${top}${sep}`)) return "It leads out of the clean room.";
  try {
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text, { flag: "wx" });
    return null;
  } catch (error) {
    const code = systemCode(error);
    return code === "EEXIST"
      ? "A file of that name is there already."
      : `It cannot be put there (${code}).`;
  }
}

const ALGORITHM = "aes-256-gcm";
const PURPOSE = "ccw-loop hidden text";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * A text that a state file may hold and no agent can read: enciphered with the key that receipts are sealed with, which lies
 * outside of every project. Base64 of the nonce, the tag and the cipher.
 */
export function hideText(text: string, key: Uint8Array): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, cipherKey(key), iv);
  const hidden = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), hidden]).toString("base64");
}

/** The text that `hideText` hid; null where another key hid it, or somebody edited it. */
export function revealText(hidden: string, key: Uint8Array): string | null {
  const bytes = Buffer.from(hidden, "base64");
  const tagEnd = IV_BYTES + TAG_BYTES;
  if (bytes.length < tagEnd) return null;
  const cipher = createDecipheriv(ALGORITHM, cipherKey(key), bytes.subarray(0, IV_BYTES));
  cipher.setAuthTag(bytes.subarray(IV_BYTES, tagEnd));
  try {
    return Buffer.concat([cipher.update(bytes.subarray(tagEnd)), cipher.final()]).toString("utf8");
  } catch {
    return null;
  }
}

/** A key derived from that of the seals; neither can be computed from the other. */
function cipherKey(key: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", key, "", PURPOSE, 32));
}
