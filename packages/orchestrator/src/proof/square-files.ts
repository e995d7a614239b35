import { posix } from "node:path";
import {
  type FileChange,
  fileOfTest,
  fitsPath,
  fitsTest,
  graftTests,
  hasSupportName,
  hasWord,
  holdsTests,
  isCode,
  keepsTests,
  type Objection,
  objectionOf,
  pointsAt,
  type RoleFacts,
  refersTo,
  rolesOf,
  type SquareTerms,
  type Verification,
  withAdditions,
} from "@ccw-loop/core";
import { PROBE_MARK } from "../actions/debug/instrumentation.ts";
import { baselineRun, type Judged } from "./cells.ts";
import type { SquareDeps, StartAndPresent } from "./rooms.ts";

/** Larger files, and files with a NUL byte, are not looked at as text. */
const TEXT_LIMIT = 1024 * 1024;
/** So many files are looked into for the names of data files. */
const LOOKED_INTO = 2000;

/** A changed file as text: null where it is not there, undefined where it is no text or too large. */
interface Versions {
  before: string | null | undefined;
  after: string | null | undefined;
}
export type Texts = ReadonlyMap<string, Versions>;

export async function readVersions(
  deps: Pick<SquareDeps, "workspace">,
  { start, present }: StartAndPresent,
  changes: readonly FileChange[],
): Promise<Texts> {
  const there = (gone: FileChange["kind"]) =>
    changes.filter(({ kind }) => kind !== gone).map(({ path }) => path);
  const [before, after] = await Promise.all([
    deps.workspace.read(start.commit, there("added")),
    deps.workspace.read(present.commit, there("deleted")),
  ]);
  return new Map(
    changes.map(({ path, kind }) => [
      path,
      {
        before: kind === "added" ? null : textOf(before.get(path)),
        after: kind === "deleted" ? null : textOf(after.get(path)),
      },
    ]),
  );
}

interface About {
  ends: StartAndPresent;
  texts: Texts;
  present: readonly Verification[];
}

export async function factsOf(
  deps: Pick<SquareDeps, "workspace">,
  state: Judged,
  { ends, texts, present }: About,
): Promise<RoleFacts> {
  const startPaths = new Set(await deps.workspace.paths(ends.start.commit));
  const named = present.flatMap((run) => run.tests.flatMap(({ file, suite }) => [file ?? suite]));
  const testFiles = new Set(named.filter((file) => startPaths.has(file) || texts.has(file)));
  const changed = [...texts.keys()];
  const before = Object.keys(baselineRun(state).tests).map((id) => fileOfTest(id, changed));
  const startTestFiles = new Set(
    before.flatMap((file) =>
      file === undefined || holdsTests(texts.get(file)?.before ?? "") ? [] : [file],
    ),
  );
  const assertingFiles = new Set(state.baseline?.asserting_files);
  const looked = changed.filter(
    (path) => !isCode(path) || hasSupportName(path) || assertingFiles.has(path),
  );
  const isOld = (path: string) => startPaths.has(path);
  const filesWith = (path: string, isMeant: (text: string) => boolean) =>
    [...((isOld(path) ? then : now) ?? [])]
      .filter(([file, text]) => file !== path && isMeant(text))
      .map(([file]) => file);
  const [then, now] = await Promise.all([
    looked.some(isOld) ? textsOf(deps, ends.start.commit) : null,
    looked.every(isOld) ? null : textsOf(deps, ends.present.commit),
  ]);
  return {
    testFiles,
    startTestFiles,
    assertingFiles,
    startPaths,
    // What sources say now of a file that was there, the agent may have written.
    namedIn(path) {
      const { base, name } = posix.parse(path);
      const names = isCode(path)
        ? (text: string) => hasWord(text, name)
        : (text: string) => text.includes(base);
      const files = isOld(path) ? then : now;
      return files && [...files].filter(([, text]) => names(text)).map(([file]) => file);
    },
    pointedAtBy: (path) => filesWith(path, (text) => pointsAt(text, path)),
    mentionedIn(path) {
      const { base, dir } = posix.parse(path);
      const folder = posix.basename(dir);
      return filesWith(
        path,
        (text) =>
          text.includes(base) || (folder !== "" && hasWord(text, folder)) || pointsAt(text, path),
      );
    },
    usedBy: (path) =>
      [...(then ?? [])].filter(([file, text]) => refersTo(text, file, path)).map(([file]) => file),
    isScript(path) {
      const { before, after } = texts.get(path) ?? {};
      return (before ?? after ?? "").startsWith("#!");
    },
    holdsTests: (path) =>
      [texts.get(path)?.before, texts.get(path)?.after].some((text) => holdsTests(text ?? "")),
    allowed: state.settings?.allow_test_changes ?? [],
  };
}

/** Those of these files that tests compare with or are run with, if they were changed. */
export async function judgingFiles(
  deps: Pick<SquareDeps, "workspace">,
  state: Judged,
  about: Pick<About, "ends" | "present">,
  paths: readonly string[],
): Promise<string[]> {
  if (paths.length === 0) return [];
  const changes = paths.map((path): FileChange => ({ path, kind: "modified" }));
  const texts = await readVersions(deps, about.ends, changes);
  const { tests, doubtful } = rolesOf(changes, await factsOf(deps, state, { ...about, texts }));
  return [...tests, ...doubtful];
}

/** The project's files as text, to see which of them name a data file; null where there are too many. */
async function textsOf(
  deps: Pick<SquareDeps, "workspace">,
  commit: string,
): Promise<Map<string, string> | null> {
  const all = await deps.workspace.paths(commit);
  const paths = all.filter((path) => !path.startsWith("../"));
  if (paths.length > LOOKED_INTO) return null;
  const read = await deps.workspace.read(commit, paths);
  return new Map(
    [...read].flatMap(([path, bytes]) => {
      const text = textOf(bytes);
      return text === undefined ? [] : [[path, text] as const];
    }),
  );
}

/** What the operator allows, and which tests changed since the start, as the judgement needs it. */
export function termsOf(
  state: Judged,
  about: Pick<About, "texts" | "present"> & {
    changes: readonly FileChange[];
    testsChanged: boolean;
    surroundingsChanged: boolean;
  },
): SquareTerms {
  const {
    known_red = [],
    allow_test_changes: allowed = [],
    targets = [],
    expect,
  } = state.settings ?? {};
  const { texts, present, changes, testsChanged, surroundingsChanged } = about;
  const files = [
    ...Object.keys(present.at(-1)?.test_files ?? {}),
    ...(state.baseline?.test_files ?? []),
  ];
  const changed = new Set(changes.map(({ path }) => path));
  const isAllowed = (path: string) => allowed.some((one) => fitsPath(one, path));
  const allowedTexts = changes
    .filter(({ path }) => isAllowed(path))
    .map(({ path }) => texts.get(path)?.before ?? "");
  const isTarget = (id: string) => targets.length === 0 || targets.some((one) => fitsTest(one, id));
  return {
    isKnownRed: (id) => known_red.some((one) => fitsTest(one, id)) || !isTarget(id),
    isExcused(id) {
      const file = fileOfTest(id, files);
      if (file !== undefined) return isAllowed(file);
      const name =
        id
          .split(" > ")
          .at(-1)
          ?.replace(/ #\d+$/, "")
          .split("/", 1)[0] ?? id;
      return allowedTexts.some((text) => text.includes(name));
    },
    isUnchanged(id) {
      const file = fileOfTest(id, files);
      return file === undefined ? !testsChanged : !changed.has(file);
    },
    expectUnchanged: expect === "unchanged",
    ...{ testsChanged, surroundingsChanged },
  };
}

/**
 * Manifests of the start with the dependencies that the present ones add, by path. Everything else in them, such as how
 * tests are run, stays as it was.
 */
export function addedManifests(paths: readonly string[], texts: Texts): Map<string, string> {
  return new Map(
    paths.flatMap((path) => {
      const { before, after } = texts.get(path) ?? {};
      const text =
        after == null || before === undefined ? null : withAdditions(path, before, after);
      return text === null ? [] : [[path, text] as const];
    }),
  );
}

/**
 * Sources of one end (start or present) with the tests that stand inside of them at the other end, where these differ.
 */
export function graftedTests(
  paths: readonly string[],
  texts: Texts,
  sources: "before" | "after",
): Map<string, string> {
  return new Map(
    paths.flatMap((path) => {
      const { before, after } = texts.get(path) ?? {};
      if (before == null || after == null) return [];
      if (keepsTests(before, after) && keepsTests(after, before)) return [];
      const grafted = sources === "before" ? graftTests(before, after) : graftTests(after, before);
      return grafted === null ? [] : [[path, grafted.text] as const];
    }),
  );
}

/**
 * An objection for each source that has no place any more for the tests that stood inside of it at the start. Tests of
 * a deleted source may have moved into a new one.
 */
export function lostInSourceTests(paths: readonly string[], texts: Texts): Objection[] {
  const others = [...texts.values()].filter(({ after }) => after != null && holdsTests(after));
  const moved = others.filter(({ before }) => before === null).map(({ after }) => after ?? "");
  const lost = paths.filter((path) => {
    const { before, after } = texts.get(path) ?? {};
    if (before == null) return false;
    // Where no other file has tests, none can stand in for these: the verdict misses them if they were run.
    if (after === null) return others.length > 0 && !moved.some((text) => keepsTests(before, text));
    return after === undefined || graftTests(after, before)?.isComplete === false;
  });
  return lost.map((path) => ({
    ...objectionOf(
      "inside",
      [],
      `Tests that stood inside of the source ${path} have no place there any more.`,
    ),
    path,
  }));
}

/** An objection for each file in which DEBUG's instrumentation is left. */
export function instrumentationLeft(texts: Texts): Objection[] {
  const left = [...texts].filter(([path, { before, after }]) => {
    const isMarked = path.includes(PROBE_MARK) || after?.includes(PROBE_MARK);
    return after !== null && isMarked && !before?.includes(PROBE_MARK);
  });
  return left.map(([path]) => ({
    ...objectionOf(
      "instrumentation",
      [],
      `Lines or a file marked ${PROBE_MARK} are left in ${path}.`,
    ),
    path,
  }));
}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined || bytes.length > TEXT_LIMIT || bytes.includes(0)) return undefined;
  return new TextDecoder().decode(bytes);
}
