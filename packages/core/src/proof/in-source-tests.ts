import { docTestsOf, graftDocTests } from "./doc-tests.ts";
import { rustTestItems, type TestBlock } from "./rust-text.ts";

/**
 * Tests that stand inside of source files (Rust's `#[cfg(test)]` and documentation tests, doctests, in-source vitest):
 * such a file is laid over with the tests of the start in the place of its own.
 */

/** A block of tests in JavaScript: up to the closing brace at the same indentation, or to the end. */
const BLOCK =
  /(?<![^\n])([^\S\n]*)if \(import\.meta\.vitest\)(?:[\s\S]*?\n\1\};?(?![^\n])|[\s\S]*)/g;
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

/** A source with other tests inside of it. */
export interface Grafted {
  text: string;
  /** Whether each of the tests has a place: the item that it documents, or that it stands in, is there. */
  isComplete: boolean;
}

/** A source with the tests that stand inside of another version of it, in the place of its own; null where that has none. */
export function graftTests(source: string, other: string): Grafted | null {
  if (!holdsTests(other)) return null;
  const blocks = blocksOf(other).map((one) => ({ ...one, text: other.slice(one.from, one.to) }));
  const inner = (of: readonly TestBlock[]) =>
    of.flatMap(({ isOutermost, header }) => (isOutermost ? [] : header));
  const places = inner(blocksOf(source));
  const hasPlace = inner(blocks).every((header) => {
    const at = places.indexOf(header);
    return at !== -1 && places.splice(at, 1).length === 1;
  });
  const hasBlocks = blocksOf(source).length + blocks.length > 0;
  const grafted = hasBlocks ? graftBlocks(source, blocks) : source;
  const place = { text: grafted, outside: withoutBlocks(grafted) };
  const { text, isComplete } = graftDocTests(place, docTestsOf(withoutBlocks(other)));
  return { text, isComplete: isComplete && hasPlace };
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

function withoutBlocks(text: string): string {
  const parts: string[] = [];
  let done = 0;
  for (const { from, to } of blocksOf(text)) {
    parts.push(text.slice(done, from), text.slice(from, to).replaceAll(/[^\n]/g, " "));
    done = to;
  }
  return parts.join("") + text.slice(done);
}

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
  const inside = blocksOf(text).flatMap(({ from, to }) => text.slice(from, to).split("\n"));
  const documented = docTestsOf(withoutBlocks(text)).flatMap(({ lines }) => lines);
  return [...inside, ...documented].map((line) => line.trim()).filter((line) => line !== "");
}
