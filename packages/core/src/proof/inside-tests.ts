/**
 * Tests that stand inside of source files (Rust's `#[cfg(test)]` and documentation tests, doctests, in-source vitest):
 * such a file is laid over whole, so its tests have to be those of the start.
 */

/** Where a block of tests begins; it ends with the closing brace at the same indentation. */
const BLOCK = /^(\s*)(#\[(cfg\(test\)|test|[\w:]+::test|rstest)|if \(import\.meta\.vitest\))/;
const DOC_COMMENT = /^\s*(\/\/\/|\/\/!)/;
const PROMPT = /^\s*(>>>|\.\.\.) /;

/** Whether a text holds tests of its own. */
export function holdsTests(text: string): boolean {
  return testLines(text).length > 0;
}

/** Whether every line of the tests inside of `before` still stands, in order, in those of `after`; new ones may come between. */
export function keepsTests(before: string, after: string): boolean {
  const now = testLines(after);
  let at = 0;
  for (const line of testLines(before)) {
    at = now.indexOf(line, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** The lines that belong to tests, without indentation; also the lines that a documentation test expects. */
function testLines(text: string): string[] {
  const found: string[] = [];
  /** Indentation of the block that is open, and whether its braces have begun. */
  let block: string | null = null;
  let fenced = false;
  let prompted = false;
  for (const line of text.split("\n")) {
    const plain = line.trim();
    if (block !== null) {
      found.push(plain);
      if (line === `${block}}` || line === `${block}};`) block = null;
      continue;
    }
    const start = BLOCK.exec(line);
    if (start) {
      block = start[1] ?? "";
      found.push(plain);
      continue;
    }
    if (DOC_COMMENT.test(line)) {
      const fence = /^\s*\/\/[/!]\s*```/.test(line);
      if (fenced || fence) found.push(plain);
      if (fence) fenced = !fenced;
      continue;
    }
    fenced = false;
    if (PROMPT.test(line)) prompted = true;
    else if (plain === "" || /^("""|''')/.test(plain)) prompted = false;
    if (prompted) found.push(plain);
  }
  return found;
}
