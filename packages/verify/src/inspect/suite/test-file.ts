import type { Language } from "../code/languages.ts";
import type { Statement } from "../code/outline.ts";
import { statementsOf } from "../code/statements.ts";
import { has, isAssertion, testName } from "./marks.ts";

/** A statement as a part of a test or a helper. */
export interface Part {
  statement: Statement;
  /** How deep it stands below the head; with the text it says what runs when. */
  depth: number;
  /** What it is compared by. */
  key: string;
}

/** A test, or something beside the tests: a helper, a hook, a constant. Parts of tests inside it are not its own. */
export interface Block {
  /** Group names and its own, for a test; the beginning of its head for a helper. */
  id: string;
  /** Its own name, for people. */
  name: string;
  parts: Part[];
  /** The heads around it that are no groups of tests: a condition, a loop, a function. */
  context: string;
  /** Heads of the groups around it that may skip it. */
  skippedBy: Statement[];
  assertions: number;
  isTest: boolean;
}

/** Groups and blocks that are nested deeper are not told apart. */
const DEPTH = 40;

/** A class in which pytest looks for no tests. */
const UNCOLLECTED = /^class (?!Test)\w+(?:\(\))?:$/;

/** A file with tests, taken apart. */
export interface TestFile {
  language: Language;
  tests: Block[];
  helpers: Block[];
  /** Heads of groups. */
  groups: Statement[];
  imports: Statement[];
  lines: string[];
}

/** `inline` for a file of source with tests in it: helpers are then only what stands in a group for tests. */
export function readTestFile(text: string, language: Language, inline = false): TestFile {
  const statements = statementsOf(text, language);
  const names = statements.map((statement) => {
    const around = language.name === "python" ? statements[statement.parent]?.bare : undefined;
    return UNCOLLECTED.test(around ?? "") ? null : testName(statement, language);
  });
  const isTest = (at: number) => names[at] !== null;
  const skips = new Map<Statement, boolean>();
  const isGroup = statements.map((one, at) => !isTest(at) && has(one, "container", language));
  const isImport = statements.map(
    (one, at) => !isTest(at) && !isGroup[at] && has(one, "import", language),
  );
  const blocks = new Map<number, Block>();
  const file: TestFile = {
    language,
    tests: [],
    helpers: [],
    groups: [],
    imports: [],
    lines: text.split(/\r\n?|\n/),
  };

  /** The test that a statement belongs to, or the outermost statement that is no group. */
  const owners: number[] = [];
  const ownerOf = (at: number): number => {
    const parent = statements[at]?.parent ?? -1;
    if (isTest(at) || parent === -1 || isGroup[parent]) return at;
    return owners[parent] ?? at;
  };
  statements.forEach((statement, at) => {
    const owner = ownerOf(at);
    owners.push(owner);
    if (isGroup[at] && owner === at) {
      if (!inline || isForTests(at)) file.groups.push(statement);
      return;
    }
    if (isImport[at] && owner === at) {
      file.imports.push(statement);
      return;
    }
    let block = blocks.get(owner);
    if (!block) {
      block = {
        ...nameOf(owner),
        parts: [],
        context: contextOf(owner),
        skippedBy: skipsAround(owner),
        assertions: 0,
        isTest: isTest(owner),
      };
      blocks.set(owner, block);
      if (isTest(owner)) file.tests.push(block);
      else if (!inline || isForTests(at)) file.helpers.push(block);
    }
    const depth = statement.depth - (statements[owner]?.depth ?? 0);
    const text = at === owner && isTest(at) ? nameless(statement, block.name) : statement.text;
    block.parts.push({ statement, depth, key: `${depth} ${text}` });
    if (at !== owner || /=>|\{is_expected/.test(statement.bare)) {
      if (isAssertion(statement)) block.assertions += 1;
    }
  });
  return file;

  function ancestors(at: number): number[] {
    const found: number[] = [];
    let up = statements[at]?.parent ?? -1;
    for (; up !== -1 && found.length < DEPTH; up = statements[up]?.parent ?? -1) found.push(up);
    return found.reverse();
  }
  function isForTests(at: number): boolean {
    // A module of tests in a file of its own.
    if (/^#\[cfg\((?:all\()?test\b.*\bmod \w+$/.test(statements[at]?.text ?? "")) return true;
    return [...ancestors(at), at].some((up) => {
      const text = statements[up]?.text ?? "";
      return isGroup[up] && /cfg\((?:all\()?test\b|import\.meta\.vitest/.test(text);
    });
  }
  function nameOf(at: number): Pick<Block, "id" | "name"> {
    const groups = ancestors(at).map((up) => names[up] ?? groupName(statements[up]));
    const own = names[at] ?? helperName(statements[at]);
    return { id: [...groups, own].join(" > "), name: own };
  }
  function skipsAround(at: number): Statement[] {
    return ancestors(at)
      .flatMap((up) => statements[up] ?? [])
      .filter((head) => {
        const known = skips.get(head) ?? has(head, "skip", language);
        skips.set(head, known);
        return known;
      });
  }
  function contextOf(at: number): string {
    return ancestors(at)
      .filter((up) => !isGroup[up] && !isTest(up))
      .map((up) => statements[up]?.text ?? "")
      .join("\n");
  }
}

function groupName(statement: Statement | undefined): string {
  if (!statement) return "";
  const literal = statement.tokens.find(({ kind }) => kind === "string")?.text;
  return /^(?:class|module|mod)\b/.test(statement.bare)
    ? statement.bare
    : (literal ?? statement.bare);
}

/** What a helper is known by: its head up to the first bracket, value or body. */
function helperName(statement: Statement | undefined): string {
  const bare = (statement?.bare ?? "").slice(0, 300);
  const callee = /^[\w$@.#\s]*?(?:[\w$]+)(?=\(|=|:|\{|$)/.exec(bare)?.[0];
  return callee || bare.slice(0, 80);
}

/** A renamed test is the same test. */
function nameless({ text, bare }: Statement, name: string): string {
  return name === bare ? text : text.replace(name, '""');
}
