import type { FileVersions } from "@ccw-loop/core";
import { missingIn } from "../code/diff.ts";
import { languageOf } from "../code/languages.ts";
import type { Statement } from "../code/outline.ts";
import { statementsOf } from "../code/statements.ts";
import type { Finding, Kind } from "../finding.ts";
import { has } from "../suite/marks.ts";
import { type IsOwn, ownNames, patchesImport } from "../suite/mocked.ts";
import { AT_EXIT, CALLERS, DETECTION, ENDS_WELL, NAMES_TESTS, PROGRAM_FILE } from "./detection.ts";
import { alwaysEqual } from "./equal.ts";

/** Statements of source code that are gone from a file: what comes back in another one is only moved. */
export function removedStatements(changes: readonly FileVersions[]): Set<string> {
  const gone = new Set<string>();
  for (const { path, before, after } of changes) {
    const language = languageOf(path);
    if (!language || typeof before !== "string" || after === undefined) continue;
    const left = statementsOf(after ?? "", language).map(({ text }) => text);
    const old = statementsOf(before, language);
    for (const at of missingIn(
      old.map(({ text }) => text),
      left,
    ))
      gone.add(old[at]?.text ?? "");
  }
  return gone;
}

export interface SourceContext {
  /** Statements that are gone from other files. */
  moved: ReadonlySet<string>;
  isOwn: IsOwn;
  /** The test command measures what the tests cover. */
  covers: boolean;
}

/** What new source code says that behaves differently under test, or decides the verdict by itself. */
export function inspectSource(
  { path, before, after }: FileVersions,
  { moved, isOwn, covers }: SourceContext,
): Finding[] {
  const language = languageOf(path);
  if (!language || typeof after !== "string") return [];
  const now = statementsOf(after, language);
  const old = typeof before === "string" ? statementsOf(before, language) : [];
  const texts = (list: readonly Statement[]) => list.map(({ text }) => text);
  const come = missingIn(texts(now), texts(old)).map((at) => now[at] as Statement);
  const equal = new Set(alwaysEqual(now));
  const fresh = come.filter(({ text }) => !moved.has(text));
  const own = ownNames(
    { imports: now.filter((one) => has(one, "import", language)), language },
    isOwn,
  );
  const looks = fresh.some(({ text }) => CALLERS.test(text.slice(0, LOOKED_AT)));
  const asks = fresh.filter(
    (statement) =>
      isSuspect(statement, now, path) ||
      equal.has(statement) ||
      (looks &&
        !has(statement, "import", language) &&
        NAMES_TESTS.test(statement.text.slice(0, LOOKED_AT))),
  );
  const mocks = fresh.filter(
    (statement) =>
      (has(statement, "mock", language) && language.name === "javascript") ||
      (FUNCTION_VALUE.test(statement.text) && PATCHED.test(patchesImport(statement, own) ?? "")),
  );
  const uncovered = covers
    ? fresh.filter(({ text }) => LEFT_OUT.test(text) && !SELDOM.test(text))
    : [];
  const lines = after.split(/\r\n?|\n/);
  const finding = (kind: Kind, added: readonly Statement[], message: string): Finding[] =>
    added.length === 0
      ? []
      : [
          {
            kind,
            path,
            line: added[0]?.first ?? null,
            removed: [],
            added: added.flatMap(({ first, last }) =>
              lines.slice(first - 1, Math.min(last, first + 20)),
            ),
            identity: texts(added).join("\n"),
            message,
          },
        ];
  return [
    ...finding(
      "test_detection",
      asks,
      "The code asks whether it is being tested, or touches the verdict of the tests.",
    ),
    ...finding("mocked", mocks, "A part of the project is replaced while it runs."),
    ...finding("excluded", uncovered, "Code is left out of what the coverage is measured of."),
  ];
}

/** What a module exports itself, or a method of it. */
const PATCHED = /^\w+\.(?:[A-Z]\w*\.)?(?:prototype\.)?\w+$/;

/** What a mock that is written by hand puts in the place of a function. */
const FUNCTION_VALUE =
  /=(?:async ?)?(?:\(?[\w,]*\)?=>|function\b|lambda\b|(?:\w+\.)?\w*Mock\()|,\{(?:value|get)[:(]/;
/** Comments that leave code out of the coverage. */
const LEFT_OUT =
  /«[^»]*(?:no ?cover|no ?branch|(?:istanbul|v8|c8|node:coverage) ignore|codeCoverageIgnore)[^»]*»/;
/** Code that no test is expected to reach. */
const SELDOM =
  /TYPE_CHECKING|__main__|NotImplemented|abstractmethod|@(?:typing\.)?overload|unreachable|assert_never|^pass\b|\.\.\.|\b__repr__\b|ImportError|sys\.version|sys\.platform|process\.platform/;

const LOOKED_AT = 10_000;

function isSuspect(statement: Statement, all: readonly Statement[], path: string): boolean {
  const text = statement.text.slice(0, LOOKED_AT);
  if (INLINE_TESTS.test(text)) return false;
  if (DETECTION.some((pattern) => pattern.test(text))) return true;
  const bare = statement.bare.slice(0, LOOKED_AT);
  if (AT_EXIT.test(bare)) return exitsIn(statement, all);
  return ENDS_WELL.test(bare) && !PROGRAM_FILE.test(path) && !isMainGuard(statement, all);
}

/** How Vitest takes tests into a source file. */
const INLINE_TESTS = /^(?:if\(import\.meta\.vitest\)\{|const\{[\w,:]*\}=import\.meta\.vitest)$/;

/** Whether a hook ends the process itself. */
function exitsIn(hook: Statement, all: readonly Statement[]): boolean {
  const from = all.indexOf(hook);
  const inside = all.filter((one, at) => at >= from && (one === hook || one.parent === from));
  return inside.some(({ bare }) =>
    /_exit|exit!|\bexit\b(?!_)|halt/.test(bare.replace(/\bat_?exit\S*/g, "")),
  );
}

/** `if __name__ == "__main__":`, `func main()`, `fn main()` and the like. */
const MAIN = /__name__|\bmain\b|\bMain\(|require\.main|import\.meta\.main|import\.meta\.url/;

function isMainGuard(statement: Statement, all: readonly Statement[]): boolean {
  if (MAIN.test(statement.text)) return true;
  for (let up = all[statement.parent]; up; up = all[up.parent]) if (MAIN.test(up.text)) return true;
  return false;
}
