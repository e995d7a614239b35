import { missingIn } from "../code/diff.ts";
import { LINES } from "../code/languages.ts";
import type { Statement } from "../code/outline.ts";
import { statementsOf } from "../code/statements.ts";
import type { Finding, Kind } from "../finding.ts";
import { has } from "./marks.ts";

/** For test code in a language of which nothing is known: lines that are gone, and marks that came. */
export function compareLines(path: string, before: string, after: string): Finding[] {
  const old = codeLines(before);
  const now = codeLines(after);
  const texts = (list: readonly Statement[]) => list.map(({ text }) => text);
  const gone = missingIn(texts(old), texts(now)).map((at) => old[at] as Statement);
  const come = missingIn(texts(now), texts(old)).map((at) => now[at] as Statement);
  const finding = (
    kind: Kind,
    removed: readonly Statement[],
    added: readonly Statement[],
    message: string,
  ): Finding => ({
    kind,
    path,
    line: (added[0] ?? removed[0])?.first ?? null,
    removed: texts(removed),
    added: texts(added),
    identity: [...texts(removed), "", ...texts(added)].join("\n"),
    message,
  });
  const skipped = come.filter((line) => has(line, "skip", LINES));
  const focused = come.filter((line) => has(line, "focus", LINES));
  return [
    ...(gone.length > 0
      ? [finding("loosened", gone, come, "Lines of the tests were changed or removed.")]
      : []),
    ...(skipped.length > 0
      ? [finding("skipped", [], skipped, "A skip was added to the tests.")]
      : []),
    ...(focused.length > 0
      ? [finding("focused", [], focused, "Only a part of the tests is to run now.")]
      : []),
  ];
}

function codeLines(text: string): Statement[] {
  return statementsOf(text, LINES).filter(({ text: line }) => !/^(?:#|--|\/\/|%|;)/.test(line));
}
