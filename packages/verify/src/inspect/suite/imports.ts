import type { Finding } from "../finding.ts";
import { quoted } from "../finding.ts";
import { importedNames, isOwnModule, moduleOf } from "./mocked.ts";
import { type Project, resolveFrom } from "./own.ts";
import type { TestFile } from "./test-file.ts";
import { isTestCode } from "./test-paths.ts";

/** What tests are written with, by the names it is imported under. */
const FRAMEWORK = /^(?:expect|assert|test|it|describe|suite|should|pytest|unittest|TestCase|mock)$/;
const STAND_IN = /(?:mock|fake|stub|dummy|shim|__mocks__)/i;

/**
 * Imports that give the same names from somewhere else: the project's code from a stand-in, the tools of the tests
 * from the project. Any other import may change.
 */
export function compareImports(
  path: string,
  before: TestFile | null,
  after: TestFile,
  { isOwn, defines }: Project,
): Finding[] {
  if (!before) return [];
  const { language } = after;
  const known = new Set(before.imports.map(({ text }) => text));
  const left = new Set(after.imports.map(({ text }) => text));
  const gone = before.imports.filter(({ text }) => !left.has(text));
  return after.imports.flatMap((statement): Finding[] => {
    if (known.has(statement.text)) return [];
    const names = importedNames(statement.bare);
    const module = moduleOf(statement.text, language) ?? "";
    const replaced = gone.find(({ bare, text }) => {
      const shared = importedNames(bare).some((name) => names.includes(name));
      return shared && moduleOf(text, language) !== module;
    });
    if (!replaced) return [];
    const old = moduleOf(replaced.text, language) ?? "";
    const own = isOwnModule(module, language, isOwn);
    const isStrict = (text: string) => /strict/.test(text);
    const tools = names.some((name) => FRAMEWORK.test(name));
    const standIn =
      own && ((STAND_IN.test(module) && !STAND_IN.test(old)) || isInTests(path, module, old));
    const swapped = tools && own && !isOwnModule(old, language, isOwn);
    const lax =
      tools && isStrict(replaced.text) && !isStrict(statement.text) && /assert/.test(module);
    const shared = importedNames(replaced.bare).filter((name) => names.includes(name));
    const copied = own && shared.some((name) => defines(path, old, name));
    if (!standIn && !swapped && !lax && !copied) return [];
    const kind = (standIn || copied) && !swapped ? "mocked" : "loosened";
    return [
      {
        kind,
        path,
        line: statement.first,
        removed: before.lines.slice(replaced.first - 1, replaced.last),
        added: after.lines.slice(statement.first - 1, statement.last),
        identity: `${replaced.text}\n${statement.text}`,
        message: `The tests take ${quoted(names.slice(0, 4).join(", "))} from ${quoted(module)} now, not from ${quoted(old)}.`,
      },
    ];
  });
}

/** Whether a module lies with the tests, and the one before did not. */
function isInTests(path: string, module: string, old: string): boolean {
  if (!module.startsWith(".") || !/\//.test(module)) return false;
  const resolve = (specifier: string) => {
    const file = resolveFrom(path, specifier);
    return /\.\w+$/.test(file) ? file : `${file}.js`;
  };
  return isTestCode(resolve(module)) && old.startsWith(".") && !isTestCode(resolve(old));
}
