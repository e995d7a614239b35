import { languageOf } from "../code/languages.ts";
import { statementsOf } from "../code/statements.ts";
import { readTestFile } from "./test-file.ts";
import { conventionOf } from "./test-paths.ts";

export interface Named {
  path: string;
  text: string;
}

/** Which new file a test file that is gone became, where a runner finds it by the same rules: its path by the old one. */
export function pairMoves(gone: readonly Named[], come: readonly Named[]): Map<string, string> {
  const moves = new Map<string, string>();
  const free = [...come];
  const pairWith = (isTwin: (old: Named, now: Named) => boolean) => {
    for (const old of gone) {
      if (moves.has(old.path)) continue;
      const at = free.findIndex(
        (now) => conventionOf(now.path) === conventionOf(old.path) && isTwin(old, now),
      );
      if (at !== -1)
        moves.set(old.path, ...(free.splice(at, 1).map(({ path }) => path) as [string]));
    }
  };
  const spelled = new Map([...gone, ...come].map((file) => [file.path, spellingOf(file)]));
  pairWith((old, now) => spelled.get(old.path) === spelled.get(now.path));
  const tests = new Map([...gone, ...free].map((file) => [file.path, testsOf(file)]));
  pairWith((old, now) => shareMost(tests.get(old.path) ?? [], tests.get(now.path) ?? []));
  return moves;
}

/** A file without its layout and its imports, which a move changes. */
function spellingOf({ path, text }: Named): string {
  const language = languageOf(path);
  if (!language) return text;
  return statementsOf(text, language)
    .map((statement) => `${statement.depth} ${statement.text}`)
    .filter(
      (line) =>
        !/^\d+ (?:import|from|export|use|require|package|namespace|using|const.*=require)\b/.test(
          line,
        ),
    )
    .join("\n");
}

function testsOf({ path, text }: Named): string[] {
  const language = languageOf(path);
  return language ? readTestFile(text, language).tests.map(({ name }) => name) : [];
}

/** At least half of the tests by name, and one. */
function shareMost(old: readonly string[], now: readonly string[]): boolean {
  const names = new Set(now);
  const shared = old.filter((name) => names.has(name)).length;
  return shared > 0 && shared * 2 >= old.length;
}
