import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CheckOptions, VerifyPlan } from "@ccw-loop/core";
import { overwrite } from "@ccw-loop/test-runner/clean-room";
import { textsOf } from "@ccw-loop/test-runner/project-files";
import { assertsBy, type Canary, makeCanary } from "./canary-file.ts";
import { nameOf } from "./check-parts.ts";
import type { Stop } from "./falsify/code.ts";
import { type Falsified, falsify } from "./falsify/falsify.ts";
import { falsifySnapshots, snapshotsOf } from "./falsify/snapshots.ts";
import { testFilesOf } from "./replay/record.ts";
import { isTitleOf, runnerOfTestFile } from "./test-text.ts";

/** More test files say nothing new. */
const FILES_FALSIFIED = 20;

/** Tests of ours that can only fail, and those of the room with wrong expected values, by path. */
interface FailingTests {
  canaries: Canary[];
  falsified: ReadonlyMap<string, Falsifiable>;
}

/** With the file whose tests these are. */
type Falsifiable = Falsified & { of: string };

export function makeFailingTests(
  plan: VerifyPlan,
  options: CheckOptions,
  cwd: string,
): FailingTests {
  return { canaries: canariesFor(plan, options, cwd), falsified: falsifiedIn(cwd, options) };
}

/** How each test ended, by its identity. */
export type States = Readonly<Record<string, string>>;

export interface Expected {
  title: string;
  /** One false assertion of ours and nothing else: it can pass by no circumstance of the project. */
  isFalse: boolean;
  /** The file and the title of a test of the project that can be stopped where it asserts. */
  stops?: { file: string; title: string };
  /** At least one of its tests is reported as failed; one that vanished has not been. */
  isRed: (states: States) => boolean;
  isGreen: (states: States) => boolean;
}

/** What has to be red with them. */
export function expectedRed(
  { canaries, falsified }: FailingTests,
  { green }: CheckOptions,
): Expected[] {
  const own = canaries.flatMap(({ titles }) =>
    titles.map((title, n) => ({
      title: n === 0 ? "a false test of ours" : "a test of ours with every kind of false assertion",
      isFalse: n === 0,
      ...reportedAs((id) => id.includes(title)),
    })),
  );
  const theirs = [...falsified.values()].flatMap(({ of: file, titles, ends }) =>
    titles
      .map((title) => ({
        title,
        ids: green
          .filter((one) => one.file === file && isTitleOf(title, nameOf(one.id)))
          .map(({ id }) => id),
      }))
      .filter(({ ids }) => ids.length > 0)
      .map(({ title, ids }) => ({
        title: `${file} > ${title}`,
        isFalse: false,
        ...(ends.has(title) ? { stops: { file, title } } : {}),
        ...reportedAs((id) => ids.includes(id)),
      })),
  );
  return [...own, ...theirs];
}

function reportedAs(isMeant: (id: string) => boolean): Pick<Expected, "isRed" | "isGreen"> {
  const has = (word: string) => (states: States) =>
    Object.entries(states).some(([id, status]) => status === word && isMeant(id));
  return { isRed: has("failed"), isGreen: has("passed") };
}

function canariesFor(plan: VerifyPlan, options: CheckOptions, cwd: string): Canary[] {
  const canaries = new Map<string, Canary>();
  for (const [file, text] of textsOf(filesFalsified(options), cwd)) {
    for (const { report } of plan.parts) {
      const dialect = runnerOfTestFile(report, text);
      const canary = canaries.has(assertsBy(text)) ? null : makeCanary(dialect, file, text);
      if (canary) canaries.set(assertsBy(text), canary);
    }
  }
  return [...canaries.values()];
}

/** By path; a file of snapshots stands beside the file whose tests are compared with them. */
function falsifiedIn(cwd: string, options: CheckOptions): Map<string, Falsifiable> {
  const named = Map.groupBy(options.green, ({ file }) => file);
  const all = filesFalsified(options).flatMap((of) => {
    const names = (named.get(of) ?? []).map(({ id }) => nameOf(id));
    const files = [...textsOf([of, snapshotsOf(of)], cwd)];
    return files.map(([path, text]) => {
      const isTest = (title: string) => names.some((name) => isTitleOf(title, name));
      const wrong = path === of ? falsify(path, text, isTest) : falsifySnapshots(text, names);
      return [path, { ...wrong, of }] as const;
    });
  });
  return new Map(all.filter(([, { titles }]) => titles.length > 0));
}

const filesFalsified = (options: CheckOptions) => testFilesOf(options).slice(0, FILES_FALSIFIED);

/** Tests in which something happens in the place of the assertions that they come to. */
export interface Stopped {
  tests: readonly Expected[];
  stop: Stop;
}

/** Writes them into a room. A file may be source and test: its tests are made wrong in the text that lies there. */
export async function writeFailingTests(
  { canaries }: FailingTests,
  { options, cwd, stopped }: { options: CheckOptions; cwd: string; stopped?: Stopped | undefined },
): Promise<void> {
  const falsified = falsifiedIn(cwd, options);
  for (const canary of canaries) await writeFile(join(cwd, canary.path), canary.text);
  for (const [path, wrong] of falsified) {
    const titles = stopped?.tests.flatMap(({ stops }) =>
      stops?.file === wrong.of ? stops.title : [],
    );
    await overwrite(join(cwd, path), wrong.text(titles, stopped?.stop));
  }
}
