/** Longer texts are compared by their beginnings. */
const COMPARED = 500;
/** Share of words in common, of both texts together, from which on two sentences say the same. */
const SAME = 0.8;

/** Words that carry no idea of their own. */
const SMALL = new Set(
  (
    "a an and are as at be because been but by can could does do for from has have in is it its may might of on " +
    "or probably should so some that the their then there this to was were when which will with would"
  ).split(" "),
);

/** Words that turn a sentence into another one, however much the rest is alike. */
const TURNING = new Set(
  (
    "not no never without missing always before after first last early late earlier later more less greater " +
    "smaller larger true false"
  ).split(" "),
);

/** What code is called, and numbers: `total()`, `parseDate`, `max_items`, `cart.js`, `0.1`, and what stands in backticks. */
const NAMES =
  /`[^`\n]{1,200}`|[\p{L}_$][\p{L}\p{N}_$]*(?=\()|[\p{L}\p{N}$]+(?:[._/:-][\p{L}\p{N}$]+)+|\p{Ll}+\p{Lu}[\p{L}\p{N}]*|\d+/gu;

let segmenter: Intl.Segmenter | undefined;

/** The segmenter is made when it is first asked for: that takes as long as reading a loop. */
function segmentsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("en", { granularity: "word" });
  return segmenter.segment(text);
}

/**
 * Whether two sentences state the same idea in other words. They do when most of their words are the same, they turn
 * the same way (not, before, more), and neither names code or a number in the other one's place.
 */
export function isSameHypothesis(one: string, other: string): boolean {
  const [a, b] = [ideaOf(one), ideaOf(other)];
  if (a.words.size === 0 || b.words.size === 0) return false;
  if (missing(a.turning, b.turning) || missing(b.turning, a.turning)) return false;
  if (missing(a.names, b.names) && missing(b.names, a.names)) return false;
  return likeness(a.words, b.words) >= SAME;
}

/** How much two texts have in common: 0 nothing, 1 every word that matters. */
export function hypothesisSimilarity(one: string, other: string): number {
  return likeness(ideaOf(one).words, ideaOf(other).words);
}

interface Idea {
  words: ReadonlySet<string>;
  turning: ReadonlySet<string>;
  names: ReadonlySet<string>;
}

function ideaOf(text: string): Idea {
  const plain = text
    .slice(0, COMPARED)
    .normalize("NFKC")
    .replaceAll(/n[’']t\b/g, " not");
  const names = (plain.match(NAMES) ?? []).map((name) =>
    name.replaceAll(/[`()]/g, "").toLowerCase(),
  );
  const all: string[] = [];
  for (const { segment, isWordLike } of segmentsOf(plain.toLowerCase())) {
    if (isWordLike && !SMALL.has(segment)) all.push(segment);
  }
  return {
    words: new Set(all.map(stem)),
    turning: new Set(all.filter((word) => TURNING.has(word))),
    names: new Set(names),
  };
}

/** `rounds`, `rounded`, `rounding` → `round`; only the commonest endings, of words long enough to have one. */
function stem(word: string): string {
  if (word.length < 5) return word;
  const bare = word.replace(/(?:ing|ed|es|s)$/, "");
  return bare.length < 3 ? word : bare.replace(/e$/, "");
}

function missing(of: ReadonlySet<string>, from: ReadonlySet<string>): boolean {
  return [...of].some((item) => !from.has(item));
}

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size + b.size === 0) return 0;
  const common = [...a].filter((word) => b.has(word)).length;
  return (2 * common) / (a.size + b.size);
}
