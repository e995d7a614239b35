import type { Kind } from "../finding.ts";

/** What a text of settings or of a command does to the tests, beside being another one. The first that fits. */
const KINDS: readonly [Kind, RegExp][] = [
  [
    "skipped",
    /-DskipTests|-DskipITs|maven\.test\.skip|skipTests|skipITs|(?:^|[\s"])--no-run\b|--collect-only\b|--co\b|--list(?:-?tests?)?\b|--dry-run\b|\bautotests=false|(?:^|\.)(?:test|doctest|harness|enabled|auto\w+)=false|IsTestProject=false/,
  ],
  [
    "excluded",
    /(?:^|[.\s"'(=[])(?:-{1,2})?(?:exclude\w*|ignore(?!-scripts|Errors|Failures|_errors|Initializers|Dep)[\w-]*|ignorePatterns|testPathIgnorePatterns|modulePathIgnorePatterns|norecursedirs|collect_ignore\w*|deselect|omit|skip(?!s?-?(?:lib|tests)|Lib)(?:[-_]?(?:files|dirs|tests|empty|path))?|exclude-?(?:tag|group|task|dir|file)\w*|excludeTag\w*|excludedGroups)\b|-not\s+-path|Compile\.@(?:Remove|Exclude)|ExcludeFrom|\bexcludes?\.exclude|-x\s+\w*[tT]est/,
  ],
  [
    "focused",
    /(?:^|\s|")(?:--(?:grep|fgrep|testNamePattern|test-name-pattern|test-only|only|filter|tests?|changed|onlyChanged|findRelatedTests|related|shard|group|tags?|only-changed|last-failed|lf|failed-first|project)|-t|-k|-g|-run|--run|-Dtest|-Dgroups|-Dit\.test)(?:[\s=]|$)|\bpytest\b.*\s-m[\s=]|\b(?:testNamePattern|grep|fgrep|filter_run(?!_when_matching)\w*|includeTags|includedGroups|runOnly)\b|(?<!when_matching ?):focus\b/,
  ],
  ["loosened", /\b(?:retry|retries|retryTimes|reruns|flaky|rerunFailing\w*|--rerun\w*)\b/],
  ["mocked", /\b(?:moduleNameMapper|automock|alias|mocks?|__mocks__)\b/],
];

/** The special kind of a change, by what came with it; undefined where it is only a change. */
export function kindOfChange(
  removed: readonly string[],
  added: readonly string[],
): Kind | undefined {
  const count = (texts: readonly string[], pattern: RegExp) =>
    texts.filter((text) => pattern.test(text)).length;
  const words = (texts: readonly string[], pattern: RegExp) =>
    texts.reduce(
      (sum, text) => sum + (text.match(new RegExp(pattern.source, "g"))?.length ?? 0),
      0,
    );
  return KINDS.find(
    ([, pattern]) =>
      count(added, pattern) > 0 &&
      words(added, pattern) >= words(removed, pattern) &&
      differs(removed, added, pattern),
  )?.[0];
}

/** Whether what stands behind the word is new. */
function differs(removed: readonly string[], added: readonly string[], pattern: RegExp): boolean {
  const old = removed
    .filter((text) => pattern.test(text))
    .map((text) => text.slice(text.search(pattern)));
  return added.some(
    (text) => pattern.test(text) && !old.includes(text.slice(text.search(pattern))),
  );
}

const THRESHOLD_NAME =
  /threshold|fail[_-]?under|minimum|(?:^|\.)(?:branches|functions|lines|statements|100)$|min_?coverage|check-?coverage|violationRules|perFile$/i;

export function isThreshold(path: string): boolean {
  return THRESHOLD_NAME.test(path);
}

/** A limit as a number; undefined for what is none. */
export function limitOf(value: string): number | undefined {
  if (/^(?:true|false)$/i.test(value)) return value.toLowerCase() === "true" ? 1 : 0;
  const number = Number(
    value.replace(/^["'](.*)["']$/, "$1").replace(/[%_fFdD]|\.toBigDecimal\(\)/g, ""),
  );
  return value.trim() === "" || Number.isNaN(number) ? undefined : number;
}

const LIMITS =
  /(--?[\w.-]*(?:cov-fail-under|fail-under[\w-]*|threshold[\w.-]*|min(?:imum)?-?(?:coverage|msi)?|lines|branches|functions|statements|max-warnings)|minimum_coverage(?:_by_file)?|fail_under|minimum)(?:\s*[=:(]\s*|\s+)"?(-?\d+(?:\.\d+)?)/g;

/** Limits that a command or a line of a program sets, by name. */
export function limitsIn(text: string): Map<string, number> {
  const limits = new Map<string, number>();
  for (const [, name = "", value] of text.matchAll(LIMITS)) limits.set(name, Number(value));
  return limits;
}

export function withoutLimits(text: string): string {
  return text.replaceAll(LIMITS, "").replaceAll(/\s+/g, " ").trim();
}

/** For people: `50`, or that there is none. */
export function lowered(name: string, then: number, now: number | undefined): string {
  const what = `The coverage limit "${name.replace(/^--?/, "")}"`;
  if (now === undefined) return `${what} was removed; it was ${then}.`;
  return `${what} was lowered from ${then} to ${now}.`;
}

/** Limits of `before` that are lower in `after`, or gone; a maximum is lower when its number is higher. */
export function loweredLimits(before: string, after: string): string[] {
  const now = limitsIn(after);
  return [...limitsIn(before)].flatMap(([name, then]) => {
    const limit = now.get(name);
    const weaker = limit === undefined || (/max/.test(name) ? limit > then : limit < then);
    return weaker ? [lowered(name, then, limit)] : [];
  });
}
