import { type BigIntStats, lstatSync } from "node:fs";

/**
 * Paths of other people's files are bytes, not text. Inside this package they are strings with one character
 * per byte, so that nothing is lost on the way from a listing back to the file system.
 */
export type RawPath = string;

/** For the file system. */
export function bytesOf(path: RawPath): Buffer {
  return Buffer.from(path, "latin1");
}

/** For people and programs; bytes that are no UTF-8 become replacement characters. */
export function textOf(path: RawPath): string {
  return bytesOf(path).toString("utf8");
}

/** The records of an output of git, each of which ends with NUL. */
export function records(stdout: string): RawPath[] {
  return stdout.split("\0").filter((record) => record !== "");
}

/** The modes of files that git tells apart: link, program, file. */
export function modeOf(stats: { mode: bigint; isSymbolicLink(): boolean }): string {
  if (stats.isSymbolicLink()) return "120000";
  return (stats.mode & 0o100n) === 0n ? "100644" : "100755";
}

export function rawOf(text: string): RawPath {
  return Buffer.from(text, "utf8").toString("latin1");
}

/** The path of a file below a folder, for the file system. */
export function fileAt(root: string, path: RawPath): Buffer {
  return bytesOf(path === "" ? rawOf(root) : `${rawOf(root)}/${path}`);
}

/** The status of a file; undefined where there is none. */
export function lstatOf(file: Buffer): BigIntStats | undefined {
  try {
    return lstatSync(file, { bigint: true, throwIfNoEntry: false });
  } catch {
    // A folder on the way is a file by now, or may not be entered.
    return undefined;
  }
}

/** In quotes, as git reads it: with the escapes of C, and octal ones for what has none. */
export function quotedPath(text: string): string {
  const escaped = text.replaceAll(/["\\\p{Cc}]/gu, (found) =>
    /["\\]/.test(found) ? `\\${found}` : `\\${found.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
  return `"${escaped}"`;
}
