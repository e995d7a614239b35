import type { Language } from "../code/languages.ts";
import type { Statement } from "../code/outline.ts";
import { has } from "./marks.ts";
import type { Part, TestFile } from "./test-file.ts";

/** Whether a module name, or the first part of it, is the project's own. */
export type IsOwn = (name: string) => boolean;

const SPECIFIER = /^(?:\.{0,2}\/|@\/|~|#|src\/|\$)|(?:^|\/)\.\.?\//;

/** Names that a file has from the project itself, and the modules they come from. */
export interface OwnNames {
  names: Set<string>;
  /** Names by module, as it is written in the file. */
  modules: Map<string, string[]>;
}

export function ownNames(
  { imports, language }: Pick<TestFile, "imports" | "language">,
  isOwn: IsOwn,
): OwnNames {
  const names = new Set<string>();
  const modules = new Map<string, string[]>();
  for (const { text, bare } of imports) {
    const module = moduleOf(text, language);
    if (module === undefined || !isOwnModule(module, language, isOwn)) continue;
    const words = importedNames(bare);
    modules.set(module, [...(modules.get(module) ?? []), ...words]);
    for (const word of words) names.add(word);
  }
  return { names, modules };
}

/** What an import names as its source. */
export function moduleOf(text: string, { name }: Language): string | undefined {
  if (name === "python") return /^(?:from|import) ?([\w.]+)/.exec(text)?.[1];
  return /"([^"]+)"[^"]*$/.exec(text)?.[1];
}

export function isOwnModule(module: string, { name }: Language, isOwn: IsOwn): boolean {
  if (name === "python") return module.startsWith(".") || isOwn(module.split(".", 1)[0] ?? "");
  return SPECIFIER.test(module) || isOwn(module);
}

const SYNTAX = new Set(
  "import from as const let var require await type export default static use".split(" "),
);

export function importedNames(bare: string): string[] {
  return (bare.match(/[A-Za-z_$][\w$]*/g) ?? []).filter((word) => !SYNTAX.has(word));
}

/** What a mock replaces: the module or name it is given first. */
function targetOf(text: string): string {
  const call =
    /(?:\b(?:do|set)?[mM]ock(?:\.module|\.method)?|spyOn|replace\w*|unstable_mockModule|patch(?:\.\w+)?|set(?:attr|item)|delattr|stub|proxyquire[\w.]*|esmock|rewire|quibble)\((?:import\()?"?([^"),]*)/;
  return call.exec(text)?.[1] ?? /\bsys\.modules\["([\w.]+)/.exec(text)?.[1] ?? "";
}

/** Whether a mock replaces something of the project; where its target cannot be told, it does. */
export function mocksOwn(
  statement: Statement,
  own: OwnNames,
  language: Language,
  isOwn: IsOwn,
): boolean {
  const target = targetOf(statement.text);
  if (target === "") return true;
  if (own.names.has(target.split(".", 1)[0] ?? "")) return true;
  return isOwnModule(target, language, isOwn);
}

/**
 * Whether a new test replaces the very thing that it checks: the name that a mock puts something else in the
 * place of is called in an assertion.
 */
export function mocksItsSubject(
  statement: Statement,
  parts: readonly Part[],
  own: OwnNames,
  language: Language,
): boolean {
  const target = targetOf(statement.text);
  const second = /,"(\w+)"/.exec(statement.text)?.[1];
  const names = has(statement, "mock", language)
    ? (own.modules.get(target) ?? own.modules.get(target.split(".").slice(0, -1).join(".")) ?? [])
    : [target.split(/[.:]/).at(-1) ?? "", second ?? ""];
  return isCalledInCheck(parts, names);
}

/** Whether an assertion calls one of these functions. */
export function isCalledInCheck(parts: readonly Part[], names: readonly string[]): boolean {
  const calls = names
    .filter((name) => /^\w{2,}$/.test(name))
    .map((name) => new RegExp(`(?<!mocked\\()\\b${name}\\(`));
  return parts.some(
    ({ statement: { bare } }) => isCheck(bare) && calls.some((call) => call.test(bare)),
  );
}

function isCheck(bare: string): boolean {
  return /assert|expect/i.test(bare);
}

/** What of something imported from the project a statement sets: a mock without a library. */
export function patchesImport({ text }: Statement, own: OwnNames): string | undefined {
  for (const pattern of PATCHES) {
    const [, root, name = ""] = pattern.exec(text.slice(0, 1000)) ?? [];
    if (root !== undefined && own.names.has(root)) return `${root}.${name}`;
  }
  return undefined;
}

const PATCHES: readonly RegExp[] = [
  /^([A-Za-z_$][\w$]*)\.([\w$.]+)=(?![=>])/,
  /^([A-Za-z_$][\w$]*)\["(\w+)"\]=(?![=>])/,
  /^(?:Object\.(?:defineProperty|assign)|Reflect\.(?:set|defineProperty)|setattr)\(([A-Za-z_$][\w$]*)(?:\.prototype)?,(?:"(\w+)")?/,
  /^(?:vars\()?([A-Za-z_]\w*)(?:\.__dict__|\))(?:\["(\w+)"\]=|\.update\()/,
];

export function isMock(statement: Statement, language: Language): boolean {
  return has(statement, "mock", language) || has(statement, "stub", language);
}
