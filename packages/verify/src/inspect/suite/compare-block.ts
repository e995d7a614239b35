import { diffLists } from "../code/diff.ts";
import type { Language } from "../code/languages.ts";
import type { Kind } from "../finding.ts";
import { isAside, isHarmless } from "./harmless.ts";
import { has, isAssertion } from "./marks.ts";
import { declaredNames, usedNames, wordsOf } from "./names.ts";
import type { Block, Part } from "./test-file.ts";
import { assigned, controls, exits, jumps, overrides, retries, tries } from "./words.ts";

/** What of a test or helper changed to its weakness. */
export interface Weakening {
  kind: Kind;
  removed: Part[];
  added: Part[];
}

/** How a test that was there before is weaker now; a new assertion in it is no weakness. */
export function compareBlock(
  before: Block,
  after: Block,
  language: Language,
  risky: ReadonlySet<string> = new Set(),
): Weakening[] {
  const found = new Map<Kind, Weakening>();
  const note = (kind: Kind, removed: readonly Part[], added: readonly Part[]) => {
    const one = found.get(kind) ?? { kind, removed: [], added: [] };
    for (const part of removed) one.removed.push(part);
    const known = new Set(one.added);
    for (const part of added) if (!known.has(part)) one.added.push(part);
    found.set(kind, one);
  };
  const hunks = diffLists(
    before.parts.map(({ key }) => key),
    after.parts.map(({ key }) => key),
  );
  const isNew = new Set(hunks.flatMap(({ added }) => added.map((at) => after.parts[at])));
  const lastOld = after.parts.findLastIndex((part) => !isNew.has(part));
  for (const hunk of hunks) {
    const old = hunk.removed.map((at) => before.parts[at] as Part);
    const now = hunk.added.map((at) => after.parts[at] as Part);
    for (const kind of newMarks(old, now, language)) note(kind.kind, [], [kind.part]);
    const { gone, come } = withoutHarmless(old, now, language);
    if (gone.length > 0) note("loosened", gone, come);
    else {
      const later = after.parts.slice(hunk.at).filter((part) => !isNew.has(part));
      const words = wordsOf(later);
      const used = usedNames(later);
      for (const part of come) {
        const isLast = hunk.at > lastOld;
        const kind = harmOf(part, { after, isNew, words, used, isLast, language, risky });
        if (kind) note(kind, [], [part]);
      }
    }
  }
  const loosened = found.get("loosened");
  const wasEmptied =
    before.assertions > 0
      ? after.assertions === 0
      : before.parts.length > 1 && after.parts.length === 1;
  if (loosened && loosened.removed.length > 0 && wasEmptied) loosened.kind = "emptied";
  return [...found.values()];
}

/** Skips, focus, mocks and the like that were not there in what this replaces. */
export function newMarks(
  old: readonly Part[],
  now: readonly Part[],
  language: Language,
): { kind: Kind; part: Part }[] {
  const rules: [Kind, (part: Part) => boolean][] = [
    ["skipped", ({ statement }) => has(statement, "skip", language)],
    ["focused", ({ statement }) => has(statement, "focus", language)],
    [
      "mocked",
      ({ statement }) => has(statement, "mock", language) || has(statement, "stub", language),
    ],
    ["test_detection", ({ statement }) => exits(statement) || overrides(statement, language)],
  ];
  return rules.flatMap(([kind, fits]) => {
    const marked = now.filter(fits);
    const known = old.filter(fits).length;
    return marked.slice(known).map((part) => ({ kind, part }));
  });
}

/** What is left of a change without what weakens nothing. */
function withoutHarmless(
  old: readonly Part[],
  now: readonly Part[],
  language: Language,
): { gone: Part[]; come: Part[] } {
  if (old.length > MOST_COMPARED) return { gone: [...old], come: [...now] };
  const taken = new Set<Part>();
  let from = 0;
  const gone = old.filter((part) => {
    const { text } = part.statement;
    for (let at = from; at < Math.min(now.length, from + MOST_APART); at += 1) {
      const other = now[at] as Part;
      const fits = other.depth === part.depth && !taken.has(other);
      if (!fits || !isHarmless(text, other.statement.text)) continue;
      taken.add(other);
      from = at;
      return false;
    }
    return true;
  });
  const come = now.filter((part) => !taken.has(part));
  const isSkip = ({ statement }: Part) =>
    has(statement, "skip", language) && !isAssertion(statement) && !controls(statement);
  return { gone: gone.filter((part) => !isSkip(part) && !isAside(part.statement.text)), come };
}

/** Where more than this went at one place, nothing of it is called harmless. */
const MOST_COMPARED = 1000;
/** A statement is looked for among so many that came in its place. */
const MOST_APART = 20;

interface Place {
  after: Block;
  isNew: ReadonlySet<Part | undefined>;
  /** Every word of what was there before and runs behind the addition, and the names it calls. */
  words: ReadonlySet<string>;
  used: ReadonlySet<string>;
  isLast: boolean;
  language: Language;
  /** Names of new helpers that skip, end or replace something. */
  risky: ReadonlySet<string>;
}

/** What an addition to an existing test weakens; undefined for more assertions and what they need. */
function harmOf(part: Part, place: Place): Kind | undefined {
  const { statement } = part;
  const { after, words, used, isLast, language, risky } = place;
  if (retries(statement)) return "loosened";
  // Goes on with a statement that was there: `.catch(() => {})`.
  if (/^[.,)?|&]/.test(statement.text) && !isAside(statement.text)) return "loosened";
  if (tries(statement)) return "loosened";
  if ([...risky].some((name) => mentions(part, name))) return "loosened";
  if (isLast) return undefined;
  if (jumps(statement) && !isGuarded(part, place)) return "loosened";
  if (controls(statement) && !checksSomething(part, after)) return "loosened";
  if (ENDS_TEST.test(statement.bare)) return "loosened";
  const name = assigned(statement, language);
  if (name !== undefined && words.has(name)) return "loosened";
  if (declaredNames(statement).some((declared) => used.has(declared))) return "loosened";
  return undefined;
}

/** Says that an asynchronous test is over. */
const ENDS_TEST = /^(?:done|cb|callback|next|resolve|t\.end|t\.pass)\(\)$/;

function mentions({ statement }: Part, name: string): boolean {
  return new RegExp(`(?<![\\w$])${name.replaceAll("$", "\\$")}(?![\\w$])`).test(statement.bare);
}

/** Parts below a head. */
function inside(head: Part, { parts }: Block): Part[] {
  const from = parts.indexOf(head) + 1;
  const end = parts.findIndex((part, at) => at >= from && part.depth <= head.depth);
  return parts.slice(from, end === -1 ? undefined : end);
}

function checksSomething(head: Part, block: Block): boolean {
  return (
    isAssertion(head.statement) || inside(head, block).some((one) => isAssertion(one.statement))
  );
}

/** Whether a jump comes right behind a failure, or leaves only a function that is new itself. */
function isGuarded(part: Part, { after, isNew }: Place): boolean {
  const at = after.parts.indexOf(part);
  const before = after.parts[at - 1];
  if (before && before.depth === part.depth && FAILS.test(before.statement.bare)) return true;
  for (let up = at - 1, depth = part.depth; up >= 0; up -= 1) {
    const head = after.parts[up] as Part;
    if (head.depth >= depth) continue;
    depth = head.depth;
    if (!isNew.has(head)) return false;
    if (!controls(head.statement)) return true;
  }
  return false;
}

const FAILS = /\b(?:t|tb|b)\.(?:Error|Fatal|Fail)|\b(?:fail|flunk)\w*\(|\bpanic!?\(/;
