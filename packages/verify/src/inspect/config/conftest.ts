import type { FileVersions } from "@ccw-loop/core";
import { languageOf } from "../code/languages.ts";
import { statementsOf } from "../code/statements.ts";
import type { Finding } from "../finding.ts";
import { newMarks } from "../suite/compare-block.ts";
import { compareConfig } from "./compare-config.ts";
import type { Reader } from "./entries.ts";

/** Fixtures of pytest itself and of its most common plugins: a second one of the name takes their place. */
const KNOWN =
  /^(?:request|tmp_path|tmpdir|monkeypatch|capsys|capfd|caplog|recwarn|cache|testdir|pytester|mocker|client|db|live_server|benchmark|event_loop|faker|requests_mock|httpx_mock|respx_mock|aiohttp_client|admin_client|settings|django_db_setup|app|page|browser)/;

export function isConftest(path: string): boolean {
  return /(?:^|\/)conftest\.py$/.test(path);
}

/** Not one that takes in hooks. */
const PLAIN_IMPORT = /^(?:import|from) (?!.*(?:\*|\bpytest_))/;

/** A new fixture: one statement with everything in it. */
interface Fixture {
  name: string;
  from: number;
  to: number;
}

/**
 * What a changed conftest.py says. It decides about every test below it; only a new fixture under a name that no
 * test that was there uses (`isUsed`) changes none of them.
 */
export function inspectConftest(
  change: FileVersions,
  isUsed: (name: string) => boolean,
): Finding[] {
  const { path, before, after } = change;
  const language = languageOf(path);
  if (!language || typeof after !== "string")
    return compareConfig(change, { read: reader(path, []) });
  const known = new Set(fixturesOf(before ?? "", path).map(({ name }) => name));
  const fresh = fixturesOf(after, path).filter(
    ({ name }) => !known.has(name) && !KNOWN.test(name) && !isUsed(name),
  );
  return compareConfig(change, {
    read: reader(
      path,
      fresh.map(({ name }) => name),
    ),
  }).flatMap((finding) => {
    const statements = statementsOf(finding.added.join("\n"), language);
    const parts = statements.map((statement) => ({ statement, depth: 0, key: "" }));
    const marks = new Set(newMarks([], parts, language).map(({ kind }) => kind));
    return marks.size === 0 ? [finding] : [...marks].map((kind) => ({ ...finding, kind }));
  });
}

/** Fixtures that are only what they are called for: nothing automatic, nothing that replaces or ends something. */
function fixturesOf(text: string, path: string): Fixture[] {
  const language = languageOf(path);
  if (!language) return [];
  const statements = statementsOf(text, language);
  return statements.flatMap((statement, at): Fixture[] => {
    const name = /^@(?:pytest\.)?fixture(?:\([^)]*\))? ?(?:async )?def (\w+)\(/.exec(
      statement.text,
    )?.[1];
    if (name === undefined || statement.parent !== -1 || /autouse|name=/.test(statement.text))
      return [];
    const next = statements.findIndex((other, index) => index > at && other.parent === -1);
    const body = statements.slice(at, next === -1 ? undefined : next);
    const parts = body.map((one) => ({ statement: one, depth: 0, key: "" }));
    if (newMarks([], parts, language).length > 0) return [];
    return [{ name, from: statement.first, to: body.at(-1)?.last ?? statement.last }];
  });
}

/** Every statement but imports and those of the fixtures that are left out. */
function reader(path: string, without: readonly string[]): Reader {
  return (text) => {
    const language = languageOf(path);
    if (!language) return null;
    const left = fixturesOf(text, path).filter(({ name }) => without.includes(name));
    return statementsOf(text, language)
      .filter(({ first }) => !left.some(({ from, to }) => from <= first && first <= to))
      .filter(({ text: statement }) => !PLAIN_IMPORT.test(statement))
      .map(({ text: value, depth, first }) => ({
        path: "",
        value: `${"  ".repeat(depth)}${value}`,
        line: first,
      }));
  };
}
