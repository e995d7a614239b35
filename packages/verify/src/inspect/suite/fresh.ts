import type { Language } from "../code/languages.ts";
import type { Kind } from "../finding.ts";
import { newMarks, type Weakening } from "./compare-block.ts";
import { has, isAssertion } from "./marks.ts";
import {
  type IsOwn,
  isCalledInCheck,
  isMock,
  mocksItsSubject,
  mocksOwn,
  type OwnNames,
  patchesImport,
} from "./mocked.ts";
import type { Block, Part } from "./test-file.ts";
import { controls, jumps, overrides, retries } from "./words.ts";

export interface Surroundings {
  language: Language;
  /** The file was there before: what is new in it also meets the tests that were there. */
  existing: boolean;
  /** What is outside of functions meets tests of other files as well: the file was there, or holds no tests. */
  meets: boolean;
  own: OwnNames;
  /** Of all tests in the file. */
  parts: readonly Part[];
  isOwn: IsOwn;
}

/** What in a new test is no honest new test. */
export function inspectNewTest(test: Block, around: Surroundings): Weakening[] {
  const { language, own } = around;
  const marks = newMarks([], test.parts, language).filter(({ kind, part }) => {
    if (kind === "skipped") return !isConditional(part, test, language);
    if (kind === "test_detection") return !isLocal(part);
    if (kind !== "mocked") return true;
    const whole = has(part.statement, "mock", language) && around.existing;
    return whole || mocksItsSubject(part.statement, test.parts, own, language);
  });
  const patches = test.parts.filter(
    (part) => !isMock(part.statement, language) && patchHarms(part, test, around),
  );
  return weakenings([...marks, ...patches.map((part) => ({ kind: "mocked" as const, part }))]);
}

/** What a new helper, hook or constant does to the tests around it. */
export function inspectNewHelper(helper: Block, around: Surroundings): Weakening[] {
  const { language, own, isOwn, existing, parts } = around;
  const meetsOthers = around.meets && !isCalledByName(helper);
  const marks = newMarks([], helper.parts, language).filter(({ kind, part }) => {
    if (kind === "skipped") {
      return (existing && meetsOthers) || !isConditional(part, helper, language);
    }
    if (kind === "mocked" && meetsOthers) {
      // A module that is mocked is so for every test of the file.
      return (
        has(part.statement, "mock", language) || mocksOwn(part.statement, own, language, isOwn)
      );
    }
    if (kind === "mocked") return mocksItsSubject(part.statement, parts, own, language);
    // The program that a new helper ends may be one of its own: a hook or the file itself ends the run.
    if (kind !== "test_detection") return true;
    if (!overrides(part.statement, language)) return !isFunction(helper);
    return !isLocal(part) && (existing || !OWN_WORDS.test(part.statement.bare));
  });
  const more = helper.parts.flatMap((part): { kind: Kind; part: Part }[] => {
    if (patchHarms(part, helper, around)) return [{ kind: "mocked", part }];
    if (language.name === "go" && part.depth === 0 && DECIDES.test(part.statement.bare)) {
      return runsTests(helper) ? [] : [{ kind: "config", part }];
    }
    if (!existing) return [];
    if (language.name === "python" && HIDES.test(helper.id)) return [{ kind: "excluded", part }];
    if (UNDOES.test(part.statement.bare)) return [{ kind: "loosened", part }];
    if (retries(part.statement)) return [{ kind: "loosened", part }];
    const leaves = jumps(part.statement) && (part.depth === 0 || controls(headOf(helper)));
    return leaves && !isFunction(helper) ? [{ kind: "loosened", part }] : [];
  });
  return weakenings([...marks, ...more]);
}

/** A new file may use the words of the runner for something else. */
const OWN_WORDS = /^(?:async )?(?:function|const|let|var|class) (?:it|test|describe)\b/;

/** Runs the tests of a Go package, and says how they ended. */
const DECIDES = /^func TestMain\(/;
/** Whether a TestMain runs the tests and hands on how they ended. */
function runsTests({ parts }: Block): boolean {
  const texts = parts.map(({ statement }) => statement.text);
  const runs = parts.some(
    ({ statement, depth }) => depth === 1 && /\bm\.Run\(\)/.test(statement.text),
  );
  return runs && !texts.some((text) => /\bos\.Exit\(\d|\bsyscall\.Exit\(/.test(text));
}

/** With a constructor pytest leaves a class out. */
const HIDES = /(?:^|> )class Test\w*(?:\(\))?: > def __(?:init|new)__$/;
/** Takes tests away by their names. */
const UNDOES =
  /^del [\w.]*[tT]est|^(?:\w+\.)?[tT]est\w*=(?!=)|^(?:globals|locals|vars)\(\)(?:\.pop|\[)|^delattr\(|^undef(?:_method)?\b|^remove_method\b|\bdef load_tests\(|\bdef pytest_\w+\(|^pytestmark=(?!.*mark\.(?:skip|xfail))/;

/** A name of its own inside a function hides nothing from the tests outside. */
function isLocal({ depth, statement }: Part): boolean {
  return depth > 0 && /^(?:const|let|var) /.test(statement.bare);
}

/**
 * Whether the replacement of something imported harms more than the new test: it is not put back, or it is what
 * the assertions of a new file call.
 */
function patchHarms(part: Part, block: Block, { own, meets, parts }: Surroundings): boolean {
  const name = patchesImport(part.statement, own);
  if (name === undefined) return false;
  if (!meets) return isCalledInCheck([...parts, ...block.parts], [name.split(".").at(-1) ?? ""]);
  const same = block.parts.filter(({ statement }) => patchesImport(statement, own) === name);
  return same.length < 2;
}

function headOf({ parts }: Block): Part["statement"] {
  return (parts[0] as Part).statement;
}

function isFunction(block: Block): boolean {
  return /^(?:@[\w.()]+)*(?:export |async |pub |private |public |static |protected )*(?:function|def|fn|func(?! init\()|fun|class)\b|^(?:export )?(?:const|let|var) [\w$]+(?::[^=]*)?=(?:async ?)?(?:\(|function|[\w$]+=>)/.test(
    headOf(block).bare,
  );
}

/** A function that only runs for those who name it: no hook, nothing automatic. */
function isCalledByName(block: Block): boolean {
  return isFunction(block) && !AUTOMATIC.test(headOf(block).text);
}

const AUTOMATIC =
  /autouse|\b(?:def|fun|void|function|func) (?:set[Uu]p|tear[Dd]own|before|after|init|main)\w*|@(?:Before|After|BeforeEach|AfterEach|BeforeAll|AfterAll)\b|\[(?:SetUp|TearDown|OneTimeSetUp)\b/;

/** Whether a skip depends on something, so that the test does run somewhere. */
function isConditional(part: Part, block: Block, language: Language): boolean {
  if (has(part.statement, "conditional", language)) return true;
  let depth = part.depth;
  for (let at = block.parts.indexOf(part) - 1; at >= 0; at -= 1) {
    const head = block.parts[at] as Part;
    // Somebody may have left before it.
    if (head.depth <= depth + 1 && jumps(head.statement)) return true;
    if (head.depth >= depth) continue;
    if (
      controls(head.statement) &&
      !/\((?:true|1|!0)\)|(?:if|unless) (?:True|true|1|false|False)\b/.test(head.statement.bare)
    )
      return true;
    depth = head.depth;
  }
  return !isAssertion(part.statement) && /\bif\b|&&|\|\||\bunless\b/.test(part.statement.bare);
}

function weakenings(marks: readonly { kind: Kind; part: Part }[]): Weakening[] {
  const found = new Map<Kind, Weakening>();
  for (const { kind, part } of marks) {
    const one = found.get(kind) ?? { kind, removed: [], added: [] };
    if (one.added.at(-1) !== part) one.added.push(part);
    found.set(kind, one);
  }
  return [...found.values()];
}
