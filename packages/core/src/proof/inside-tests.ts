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

/**
 * The sources of `before` with the blocks of tests of `after`, for a run that asks whether those tests need the new
 * sources. Null where there are no such blocks (documentation tests stand with what they document).
 */
export function graftTests(before: string, after: string): string | null {
  const blocks = blocksOf(after);
  if (blocks.length === 0) return null;
  const taken = new Set(blocksOf(before).flatMap(({ from, to }) => range(from, to)));
  const kept = before.split("\n").filter((_, n) => !taken.has(n));
  const lines = after.split("\n");
  return [...kept, ...blocks.flatMap(({ from, to }) => lines.slice(from, to))].join("\n");
}

/** Blocks of tests by their lines, from the first to the one behind the last. */
function blocksOf(text: string): { from: number; to: number }[] {
  const lines = text.split("\n");
  const blocks: { from: number; to: number }[] = [];
  for (let n = 0; n < lines.length; n += 1) {
    const start = BLOCK.exec(lines[n] ?? "");
    if (!start) continue;
    const close = lines.findIndex(
      (line, at) => at > n && (line === `${start[1]}}` || line === `${start[1]}};`),
    );
    const to = close === -1 ? lines.length : close + 1;
    blocks.push({ from: n, to });
    n = to - 1;
  }
  return blocks;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, n) => from + n);
}

/** The lines that belong to tests, without indentation; also the lines that a documentation test expects. */
function testLines(text: string): string[] {
  const found: string[] = [];
  const inBlocks = new Set(blocksOf(text).flatMap(({ from, to }) => range(from, to)));
  let fenced = false;
  let prompted = false;
  for (const [n, line] of text.split("\n").entries()) {
    const plain = line.trim();
    if (inBlocks.has(n)) {
      if (plain !== "") found.push(plain);
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
