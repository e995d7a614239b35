import type { Language } from "../code/languages.ts";
import type { Statement } from "../code/outline.ts";
import type { Kind } from "../finding.ts";
import { declaredNames, usedNames, wordsOf } from "./names.ts";
import type { Block, Part, TestFile } from "./test-file.ts";
import { assigned, overrides } from "./words.ts";

/** Something new beside the tests that changes what an old test means without a change of the test. */
export interface Shadow {
  kind: Kind;
  part: Part;
  name: string;
  message: string;
}

/** What tests that were there before call by its name, and a new helper, fixture or class is called now. */
export function shadowsOf(
  before: TestFile,
  after: TestFile,
  { pairs, fresh }: { pairs: readonly (readonly [Block, Block])[]; fresh: readonly Block[] },
): Shadow[] {
  const { language } = after;
  const known = new Set([
    ...before.helpers.flatMap(({ parts: [head] }) => (head ? declaredNames(head.statement) : [])),
    ...before.groups.flatMap(declaredNames),
  ]);
  /** What the old tests in a group call; `""` is the file. */
  const scopes = new Map<string, Scope>();
  const scopeOf = (group: string): Scope => {
    const scope =
      scopes.get(group) ??
      readScope(pairs.flatMap(([old, now]) => (now.id.startsWith(group) ? [old] : [])));
    scopes.set(group, scope);
    return scope;
  };
  return [
    ...fresh.flatMap((helper) => {
      const group = helper.id.slice(0, Math.max(0, helper.id.lastIndexOf(" > ")));
      const [head] = helper.parts;
      // Elsewhere a method is called by its object.
      const isMethod = group !== "" && /^(?:python|php)$/.test(language.name);
      if (!head || overrides(head.statement, language)) return [];
      const scope = scopeOf(group);
      const isFixture = /@(?:pytest\.)?fixture\b/.test(head.statement.bare);
      const takesPlace = (name: string) =>
        isFixture ? scope.heads.has(name) : !isMethod && isCalled(scope, name);
      const names = declaredNames(head.statement).filter(
        (name) => !known.has(name) && takesPlace(name),
      );
      return [...names.map((name) => shadow(head, name)), ...overwritten(helper, language, scope)];
    }),
    ...newGroups(before, after).flatMap((group) =>
      declaredNames(group)
        .filter((name) => !known.has(name) && isCalled(scopeOf(""), name))
        .map((name) => shadow({ statement: group, depth: 0, key: "" }, name)),
    ),
  ];
}

/** What tests say by name. */
interface Scope {
  words: ReadonlySet<string>;
  used: ReadonlySet<string>;
  /** Names that they give a meaning themselves. */
  own: ReadonlySet<string>;
  /** Words of their heads: what they are given. */
  heads: ReadonlySet<string>;
}

function readScope(tests: readonly Block[]): Scope {
  const parts = tests.flatMap((test) => test.parts);
  return {
    words: wordsOf(parts),
    used: usedNames(parts),
    own: new Set(parts.flatMap(({ statement }) => declaredNames(statement))),
    heads: wordsOf(tests.flatMap((test) => test.parts.slice(0, 1))),
  };
}

function isCalled({ used, own }: Scope, name: string): boolean {
  return used.has(name) && !own.has(name);
}

function shadow(part: Part, name: string): Shadow {
  const message = `Tests that were there before mean a new "${name}" of this file now.`;
  return { kind: "mocked", part, name, message };
}

function newGroups(before: TestFile, after: TestFile): Statement[] {
  const known = new Set(before.groups.map(({ bare }) => bare));
  return after.groups.filter(({ bare }) => !known.has(bare));
}

/** Code that runs by itself: a hook, or a statement of the file. */
const AUTOMATIC =
  /^(?:before|after|setup|teardown|suiteSetup|test\.before|test\.after)\w*[({]|autouse|\bdef (?:set[Uu]p|tear[Dd]own)\w*|@(?:Before|After)\w*|\[(?:SetUp|TearDown|OneTimeSetUp)\b|\bfunc init\(/;

/** What a new hook sets that old tests read. */
function overwritten(helper: Block, language: Language, { words, own }: Scope): Shadow[] {
  const [head, ...body] = helper.parts;
  if (!head || !AUTOMATIC.test(head.statement.bare)) return [];
  return body.flatMap((part): Shadow[] => {
    const name = memberOf(part.statement) ?? assigned(part.statement, language);
    if (name === undefined || !words.has(name) || own.has(name)) return [];
    const message = `A new hook sets "${name}", which tests that were there before read.`;
    return [{ kind: "loosened", part, name, message }];
  });
}

/** `self.total = 3` */
function memberOf({ bare }: Statement): string | undefined {
  return /^(?:self|this)\.(\w+)=(?!=)|^\$this->(\w+)=(?!=)|^@(\w+)=(?!=)/
    .exec(bare)
    ?.slice(1)
    .find(Boolean);
}
