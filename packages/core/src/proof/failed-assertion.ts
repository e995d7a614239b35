/** A frame of JavaScript, innermost first; and with words of the assertion itself in front of them, those of PHP. */
const FRAMES = [/^\s*at (?:.*?\()?(.+?):\d+:\d+\)?$/gm, /^(\/.+?):\d+$/gm];
/** Frames of Python and of pytest, innermost last. */
const CALLS = [/^\s*File "(.+?)", line \d+/gm, /^(\S+?\.py):\d+: /gm];

/** What names of errors, or the first words of those without one, say. */
const FAILED =
  /^(?:[\w.$\\]*(?:Assert|Expectation)\w*|Error: expect\()|^\S+\.py:\d+: (?:\w*Assert\w*|Failed)$|\bFailed asserting\b/m;

/** Code that no project wrote. */
const FOREIGN = /^(node:|<)|(^|\/)(node_modules|site-packages|vendor)\//;

/**
 * In which file of the project at `root` an assertion failed, by the stack of a failed test: from there, with `/`. Null where something else
 * was thrown, or no frame is the project's.
 */
export function fileOfFailedAssertion(stack: string, root: string): string | null {
  if (!FAILED.test(stack)) return null;
  const placesBy = (pattern: RegExp) => [...stack.matchAll(pattern)].map(([, place = ""]) => place);
  const places = [
    ...FRAMES.flatMap(placesBy),
    ...CALLS.flatMap((pattern) => placesBy(pattern).reverse()),
  ];
  const own = places
    .map((place) => place.replace(/^file:\/\//, "").replaceAll("\\", "/"))
    .filter((place) => !FOREIGN.test(place))
    .map((place) => (place.startsWith(`${root}/`) ? place.slice(root.length + 1) : place));
  return own.find((place) => !/^(\/|\.\.\/|[A-Za-z]:)/.test(place))?.replace(/^\.\//, "") ?? null;
}
