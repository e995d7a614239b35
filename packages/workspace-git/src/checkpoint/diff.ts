import type { Diff } from "@ccw-loop/core";
import { parseRawDiff, type RawDifference } from "../git/listing.ts";
import { type OpenRepository, type Repository, shownPath } from "../git/repository.ts";
import { git } from "../git/run.ts";
import { type RawPath, rawOf, textOf } from "../raw-path.ts";
import { requireCommit } from "./entries.ts";

/** A longer patch is cut. */
const MOST = 20 * 1024 * 1024;
const COMPARE = ["diff-tree", "-r", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"];
const PATCH = ["-p", "-U3", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short"];
const CONFIG = { "core.quotePath": "false", "core.bigFileThreshold": "16m" };

export async function diffCheckpoints(
  { repository }: OpenRepository,
  from: string,
  to: string,
  most: number = MOST,
): Promise<Diff> {
  for (const commit of [from, to]) await requireCommit(repository, commit);
  const compare = (args: string[], most?: number) =>
    git([...COMPARE, ...args, from, to], {
      cwd: repository.top,
      config: CONFIG,
      ...(most === undefined ? {} : { most }),
    });
  const [counted, patched] = await Promise.all([
    compare(["--raw", "--numstat", "-z"]),
    compare(PATCH, most),
  ]);
  const changes = parseCounted(counted.stdout);
  const patch = textOf(patchFrom(repository, changes, patched.stdout));
  return {
    files: changes.map(({ path, kind, added, removed }) => ({
      path: shownPath(repository, path),
      kind,
      added,
      removed,
    })),
    patch: patched.cut ? `${patch.slice(0, patch.lastIndexOf("\n") + 1)}${cutAfter(most)}` : patch,
  };
}

function cutAfter(bytes: number): string {
  const size = bytes < 1024 * 1024 ? `${bytes} bytes` : `${bytes / 1024 / 1024} MB`;
  return `… cut here: the patch is larger than ${size}. Compare single files to see the rest.\n`;
}

interface Counted extends RawDifference {
  added: number | null;
  removed: number | null;
}

/** Parses `git diff-tree -z --raw --numstat`: all raw records, then all counts, in the same order. */
function parseCounted(stdout: string): Counted[] {
  const found = parseRawDiff(stdout);
  const counts = stdout.split("\0").slice(2 * found.length);
  return found.map((change, n) => {
    const [added = "-", removed = "-"] = (counts[n] ?? "").split("\t");
    const isText = added !== "-";
    return {
      ...change,
      added: isText ? Number(added) : null,
      removed: isText ? Number(removed) : null,
    };
  });
}

/** The patch with paths as seen from `cwd` and not from the top; the changes are in the order of its sections. */
export function patchFrom(
  repository: Pick<Repository, "prefix">,
  changes: readonly RawDifference[],
  patch: string,
): string {
  if (repository.prefix === "") return patch;
  const paths = changes.flatMap(({ path, isOtherType }) => (isOtherType ? [path, path] : [path]));
  // A line of content never starts with a letter.
  return patch
    .split(/(?<=^|\n)(?=diff --git )/)
    .map((section, index) => renamed(section, rawOf(shownPath(repository, paths[index] ?? ""))))
    .join("");
}

function renamed(section: string, path: RawPath): string {
  const body = section.search(/(?<=\n)@@ /);
  const head = body < 0 ? section : section.slice(0, body);
  const lines = head.split("\n").map((line) => renamedLine(line, path));
  return lines.join("\n") + section.slice(head.length);
}

function renamedLine(line: string, path: RawPath): string {
  const [before, after] = [quoted(`a/${path}`), quoted(`b/${path}`)];
  if (line.startsWith("diff --git ")) return `diff --git ${before} ${after}`;
  if (line.startsWith("Binary files ")) {
    const from = line.startsWith("Binary files /dev/null and ") ? "/dev/null" : before;
    const to = line.endsWith(" and /dev/null differ") ? "/dev/null" : after;
    return `Binary files ${from} and ${to} differ`;
  }
  if (!/^(---|\+\+\+) /.test(line) || line.endsWith(" /dev/null")) return line;
  const end = path.includes(" ") && !before.startsWith('"') ? "\t" : "";
  return line.startsWith("-") ? `--- ${before}${end}` : `+++ ${after}${end}`;
}

const LETTERS: Readonly<Record<string, string>> = {
  "\x07": "a",
  "\b": "b",
  "\t": "t",
  "\n": "n",
  "\v": "v",
  "\f": "f",
  "\r": "r",
  '"': '"',
  "\\": "\\",
};

/** As git does it with `core.quotePath` off. */
function quoted(path: RawPath): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is quoted
  const escaped = path.replaceAll(/["\\\x00-\x1f\x7f]/g, (found) => {
    const letter = LETTERS[found] ?? found.charCodeAt(0).toString(8).padStart(3, "0");
    return `\\${letter}`;
  });
  return escaped === path ? path : `"${escaped}"`;
}
