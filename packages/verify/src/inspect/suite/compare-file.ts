import { missingIn } from "../code/diff.ts";
import type { Language } from "../code/languages.ts";
import type { Statement } from "../code/outline.ts";
import type { Finding, Kind } from "../finding.ts";
import { quoted } from "../finding.ts";
import { compareBlock, newMarks, type Weakening } from "./compare-block.ts";
import { inspectNewHelper, inspectNewTest, type Surroundings } from "./fresh.ts";
import { isHarmless } from "./harmless.ts";
import { compareImports } from "./imports.ts";
import { has } from "./marks.ts";
import { ownNames } from "./mocked.ts";
import { declaredNames } from "./names.ts";
import type { Project } from "./own.ts";
import { pairBlocks } from "./pair.ts";
import { shadowsOf } from "./shadows.ts";
import type { Block, Part, TestFile } from "./test-file.ts";

/** What a test file says against the proof, and what is to be looked for in other files. */
export interface FileReport {
  findings: Finding[];
  /** Tests and helpers that are gone from this file. */
  missing: { tests: Block[]; helpers: Block[] };
  /** Tests and helpers that are new in it. */
  fresh: { tests: Block[]; helpers: Block[] };
}

const WHAT: Readonly<Partial<Record<Kind, string>>> = {
  skipped: "does not run any more, or not everywhere: a skip was added",
  focused: "is focused, so that the other tests do not run",
  emptied: "lost all its assertions",
  loosened: "was changed, so that it may check less than before",
  mocked: "replaces a part of the project by a mock",
  test_detection: "ends the run or changes what it is judged by",
};

/** How a test file changed; `before` is null for a new one. */
export function compareTestFile(
  path: string,
  before: TestFile | null,
  after: TestFile,
  project: Project,
): FileReport {
  const { language } = after;
  const around: Surroundings = {
    language,
    existing: before !== null,
    meets: before !== null || after.tests.length === 0,
    own: ownNames(after, project.isOwn),
    parts: after.tests.flatMap(({ parts }) => parts),
    isOwn: project.isOwn,
  };
  const tests = pairBlocks(before?.tests ?? [], after.tests);
  const helpers = pairBlocks(before?.helpers ?? [], after.helpers);
  const findings: Finding[] = [];
  const report = (block: Block, what: string, weakenings: readonly Weakening[]) => {
    for (const weakening of weakenings) {
      const { kind } = weakening;
      findings.push(
        findingOf(path, before, after, weakening, {
          identity: block.id,
          message: `${what} ${quoted(block.name)} ${WHAT[kind] ?? "was changed"}.`,
        }),
      );
    }
  };
  const risky = new Set(
    helpers.fresh
      .filter(({ parts }) => newMarks([], parts, language).length > 0)
      .flatMap(({ parts: [head] }) => (head ? declaredNames(head.statement) : [])),
  );
  for (const [old, now] of tests.pairs) {
    report(now, "The test", compareBlock(old, now, language, risky));
    if (now.context !== old.context && now.context !== "") {
      const place = { kind: "loosened" as const, removed: [], added: now.parts.slice(0, 1) };
      const message = `The test ${quoted(now.name)} stands in another block now (${quoted(now.context)}), so that it may not run.`;
      findings.push(
        findingOf(path, before, after, place, { identity: now.context + now.id, message }),
      );
    }
  }
  for (const [old, now] of tests.pairs) {
    const group = skippingGroup(old, now, before, language);
    if (!group) continue;
    const skip = { kind: "skipped" as const, removed: [], added: now.parts.slice(0, 1) };
    const message = `The test ${quoted(now.name)} stands in a group now that may be skipped (${quoted(group.text)}).`;
    findings.push(findingOf(path, before, after, skip, { identity: group.text + now.id, message }));
  }
  for (const [old, now] of helpers.pairs) {
    report(now, "The code around the tests,", compareBlock(old, now, language, risky));
  }
  for (const test of tests.fresh) report(test, "The new test", inspectNewTest(test, around));
  for (const helper of helpers.fresh) {
    report(helper, "The code around the tests,", inspectNewHelper(helper, around));
  }
  findings.push(
    ...hidingTests(tests, language.name).map((block) => {
      const hiding = { kind: "emptied" as const, removed: [], added: block.parts };
      const message = `A second test ${quoted(block.name)} hides the first one of that name.`;
      return findingOf(path, before, after, hiding, { identity: block.id, message });
    }),
    ...(before ? shadowsOf(before, after, { pairs: tests.pairs, fresh: helpers.fresh }) : []).map(
      ({ kind, part, name, message }) =>
        findingOf(
          path,
          before,
          after,
          { kind, removed: [], added: [part] },
          { identity: name, message },
        ),
    ),
    ...groupFindings(path, before, after),
    ...compareImports(path, before, after, project),
  );
  return {
    findings,
    missing: { tests: tests.missing, helpers: helpers.missing.filter((one) => isUsed(one, after)) },
    fresh: { tests: tests.fresh, helpers: helpers.fresh },
  };
}

/** New tests that take the name of one that was there, in a language where the last one of a name counts. */
function hidingTests({ pairs, fresh }: ReturnType<typeof pairBlocks>, language: string): Block[] {
  if (language !== "python" && language !== "ruby") return [];
  const old = new Set(pairs.map(([, { id }]) => id));
  return fresh.filter(({ id, parts }) => old.has(id) && /\bdef\b/.test(parts[0]?.key ?? ""));
}

/** Whether something that is gone was needed: a hook always, a function or constant when its name is left. */
function isUsed({ parts: [head] }: Block, { tests, helpers, imports }: TestFile): boolean {
  const names = head ? declaredNames(head.statement) : [];
  if (
    names.length === 0 ||
    /autouse|\bdef (?:set[Uu]p|tear[Dd]own)/.test(head?.statement.bare ?? "")
  )
    return true;
  const word = new RegExp(`\\b(?:${names.join("|")})\\b`);
  const blocks = [...tests, ...helpers].flatMap((block) => block.parts);
  return (
    blocks.some(({ statement }) => word.test(statement.text)) ||
    imports.some(({ text }) => word.test(text))
  );
}

/** A group that skips a test now; one that is new and skips whatever comes is an objection of its own. */
function skippingGroup(
  old: Block,
  now: Block,
  before: TestFile | null,
  language: Language,
): Statement | undefined {
  const known = new Set(old.skippedBy.map(({ bare }) => bare));
  const isOld = ({ bare }: Statement) => before?.groups.some((group) => group.bare === bare);
  return now.skippedBy.find(
    (group) => !known.has(group.bare) && (has(group, "conditional", language) || isOld(group)),
  );
}

/** Marks that a group has now; and heads of groups that were changed otherwise. */
function groupFindings(path: string, before: TestFile | null, after: TestFile): Finding[] {
  const { language } = after;
  const nameless = ({ bare }: Statement) =>
    bare.replace(/\b(class|describe|mod|namespace) [\w.]+/, "$1");
  const old = before?.groups ?? [];
  const gone = missingIn(old.map(nameless), after.groups.map(nameless)).map((at) => old[at]);
  const come = missingIn(after.groups.map(nameless), old.map(nameless)).map(
    (at) => after.groups[at],
  );
  return come.flatMap((group) => {
    if (!group) return [];
    const part: Part = { statement: group, depth: 0, key: "" };
    const twin = gone.findIndex((one) => one && keyword(one) === keyword(group));
    const replaced = twin === -1 ? undefined : gone.splice(twin, 1)[0];
    const marks = newMarks([], [part], language).filter(
      ({ kind }) =>
        kind === "focused" || (kind === "skipped" && !has(group, "conditional", language)),
    );
    const kinds = marks.map(({ kind }) => kind);
    if (replaced && !isHarmless(nameless(replaced), nameless(group))) kinds.push("loosened");
    return kinds.map((kind) => {
      const removed = replaced ? [{ statement: replaced, depth: 0, key: "" }] : [];
      const message = `The group of tests ${quoted(group.text)} ${WHAT[kind]}.`;
      return findingOf(
        path,
        before,
        after,
        { kind, removed, added: [part] },
        { identity: "", message },
      );
    });
  });
}

function keyword({ bare }: Statement): string {
  return /\b(?:class|describe|context|suite|mod|namespace|module)\b/.exec(bare)?.[0] ?? "";
}

export function findingOf(
  path: string,
  before: TestFile | null,
  after: TestFile,
  { kind, removed, added }: Weakening,
  { identity, message }: { identity: string; message: string },
): Finding {
  const first = added[0] ?? removed[0];
  const texts = (parts: readonly Part[]) => parts.map(({ statement }) => statement.text).join("\n");
  return {
    kind,
    path,
    line: first?.statement.first ?? null,
    removed: linesOf(before, removed),
    added: linesOf(after, added),
    identity: [identity, texts(removed), texts(added)].join("\n\n"),
    message,
  };
}

/** The lines as they stand in the file. */
function linesOf(file: TestFile | null, parts: readonly Part[]): string[] {
  if (!file) return [];
  const numbers = new Set<number>();
  for (const { statement } of parts) {
    for (let line = statement.first; line <= statement.last && numbers.size < 200; line += 1) {
      numbers.add(line);
    }
  }
  return [...numbers].map((line) => file.lines[line - 1] ?? "");
}
