/**
 * The oldest and the newest Codex that the suite was run on. The oldest refuses `rm -rf` by itself, where
 * the newest asks; all else is the same.
 */
export const TESTED_VERSIONS = { oldest: "0.163.0", newest: "0.169.0" } as const;

export type VersionVerdict = "too_old" | "tested" | "newer";

/** The version in what `codex --version` prints; null when there is none. */
export function versionIn(text: string): string | null {
  return /\b\d+\.\d+\.\d+(?:-[\w.]+)?/.exec(text)?.[0] ?? null;
}

/** Where a version stands to the tested range. A pre-release counts as the version it leads to. */
export function judgeVersion(version: string): VersionVerdict {
  if (compare(version, TESTED_VERSIONS.oldest) < 0) return "too_old";
  return compare(version, TESTED_VERSIONS.newest) > 0 ? "newer" : "tested";
}

function compare(a: string, b: string): number {
  const [left, right] = [numbers(a), numbers(b)];
  const differing = left.findIndex((part, i) => part !== right[i]);
  return differing < 0 ? 0 : (left[differing] ?? 0) - (right[differing] ?? 0);
}

function numbers(version: string): number[] {
  return (version.split("-")[0] ?? "").split(".").map(Number);
}
