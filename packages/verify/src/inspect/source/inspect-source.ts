import type { FileVersions } from "@ccw-loop/core";
import { missingIn } from "../code/diff.ts";
import { languageOf } from "../code/languages.ts";
import { type Statement, statementsOf } from "../code/statements.ts";
import type { Finding } from "../finding.ts";
import { has } from "../tests/marks.ts";
import { AT_EXIT, DETECTION, ENDS_WELL, PROGRAM_FILE } from "./detection.ts";
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

/** What new source code says that behaves differently under test, or decides the verdict by itself. */
export function inspectSource(
  { path, before, after }: FileVersions,
  moved: ReadonlySet<string>,
): Finding[] {
  const language = languageOf(path);
  if (!language || typeof after !== "string") return [];
  const now = statementsOf(after, language);
  const old = typeof before === "string" ? statementsOf(before, language) : [];
  const texts = (list: readonly Statement[]) => list.map(({ text }) => text);
  const come = new Set(missingIn(texts(now), texts(old)).map((at) => now[at] as Statement));
  const equal = new Set(alwaysEqual(now));
  const fresh = [...come].filter(({ text }) => !moved.has(text));
  const asks = fresh.filter((statement) => isSuspect(statement, now, path) || equal.has(statement));
  const mocks = fresh.filter(
    (statement) => has(statement, "mock", language) && language.name === "javascript",
  );
  const finding = (
    kind: "test_detection" | "mocked",
    added: readonly Statement[],
    message: string,
  ): Finding[] => {
    const lines = after.split(/\r\n?|\n/);
    const first = added[0];
    if (!first) return [];
    return [
      {
        kind,
        path,
        line: first.first,
        removed: [],
        added: added.flatMap(({ first: from, last }) =>
          lines.slice(from - 1, Math.min(last, from + 20)),
        ),
        identity: texts(added).join("\n"),
        message,
      },
    ];
  };
  return [
    ...finding(
      "test_detection",
      asks,
      "The code asks whether it is being tested, or touches the verdict of the tests.",
    ),
    ...finding("mocked", mocks, "A module is replaced by a mock."),
  ];
}

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
