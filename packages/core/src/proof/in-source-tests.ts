import { rustTestItems, type TestBlock } from "./rust-text.ts";

/**
 * Tests that stand inside of source files (Rust's `#[cfg(test)]` and documentation tests, doctests, in-source vitest):
 * such a file is laid over whole, so its tests have to be those of the start.
 */

/** A block of tests in JavaScript: up to the closing brace at the same indentation, or to the end. */
const BLOCK =
  /(?<![^\n])([^\S\n]*)if \(import\.meta\.vitest\)(?:[\s\S]*?\n\1\};?(?![^\n])|[\s\S]*)/g;
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
  return graftBlocks(
    before,
    blocks.map((block) => ({ ...block, text: after.slice(block.from, block.to) })),
  );
}

/**
 * The sources of a text with these blocks of tests in the place of its own. A block of the file itself comes to its end; one
 * inside of something else takes the place of its namesake, and is left out where there is none.
 */
export function graftBlocks(
  text: string,
  blocks: readonly (Pick<TestBlock, "isOutermost" | "header"> & { text: string })[],
): string {
  const inner = Map.groupBy(
    blocks.filter(({ isOutermost }) => !isOutermost),
    ({ header }) => header,
  );
  const parts: string[] = [];
  let done = 0;
  for (const { from, to, isOutermost, header } of blocksOf(text)) {
    const instead = isOutermost ? "" : inner.get(header)?.shift()?.text;
    parts.push(text.slice(done, from), instead ?? text.slice(from, to));
    done = to;
  }
  const outermost = blocks.filter(({ isOutermost }) => isOutermost);
  const kept = `${(parts.join("") + text.slice(done)).trimEnd()}\n`;
  return [kept, ...outermost.map((one) => `${one.text}\n`)].join("");
}

/** Blocks of tests, in order. */
export function blocksOf(text: string): TestBlock[] {
  const rust = /#\s*\[/.test(text) ? rustTestItems(text) : [];
  return rust.length > 0 ? rust : javascriptBlocks(text);
}

function javascriptBlocks(text: string): TestBlock[] {
  return [...text.matchAll(BLOCK)].map(({ index, 0: { length } }) => ({
    from: index,
    to: index + length,
    isOutermost: true,
    header: "",
  }));
}

/** The lines that belong to tests, without indentation; also the lines that a documentation test expects. */
function testLines(text: string): string[] {
  const found: string[] = [];
  const blocks = blocksOf(text);
  const inside = blocks.flatMap(({ from, to }) => text.slice(from, to).split("\n"));
  const outside = [0, ...blocks.map(({ to }) => to)]
    .map((from, n) => text.slice(from, blocks[n]?.from))
    .join("");
  found.push(...inside.map((line) => line.trim()).filter((line) => line !== ""));
  let fenced = false;
  let prompted = false;
  for (const line of outside.split("\n")) {
    const plain = line.trim();
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
