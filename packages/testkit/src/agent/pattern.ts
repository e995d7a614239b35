const REGEXP = /^\/(.+)\/([a-z]*)$/s;

export const PATTERN_HELP =
  "not a regular expression; text that begins and ends with / is read as one";

/** True for plain text and for a `/regex/flags` that can be compiled. */
export function isPattern(pattern: string): boolean {
  try {
    compile(pattern);
    return true;
  } catch {
    return false;
  }
}

/** The first of `patterns` that does not occur in `text`; undefined when all do. */
export function firstMissing(patterns: readonly string[], text: string): string | undefined {
  return patterns.find((pattern) => {
    const regexp = compile(pattern);
    return regexp ? !regexp.test(text) : !text.includes(pattern);
  });
}

function compile(pattern: string): RegExp | undefined {
  const [, source, flags] = REGEXP.exec(pattern) ?? [];
  return source === undefined ? undefined : new RegExp(source, flags);
}
