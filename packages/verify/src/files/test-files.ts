import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { filesUnder } from "./walk.ts";

const SOURCE = String.raw`\.(?:[cm]?[jt]sx?|py|rb|php|rs|java|kt|kts|scala|groovy|cs|fs|vb|swift|ex|exs|lua|sh|bats)$`;
const TEST_FILE: readonly RegExp[] = [
  /[._-](test|spec|e2e|cy)\.[cm]?[jt]sx?$/,
  /(^|\/)(tests?|specs?)\.([cm]?[jt]sx?|py|sh)$/,
  new RegExp(`(^|/)(__tests__|tests?|spec|e2e)/.*${SOURCE}`),
  /(^|\/)(test_[^/]*|[^/]*_test|conftest)\.py$/,
  /_test\.go$/,
  /(^|\/)src\/[A-Za-z]*[tT]est\/.*\.(java|kt|scala|groovy)$/,
  /(^|\/)[^/]*(Test|Tests|IT|Spec)\.(java|kt|scala|groovy|cs|fs|vb|php)$/,
  /_(spec|test)\.(rb|exs|lua)$/,
  /\.(bats|feature|snap)$/,
];

/** Whether a project's path (with `/`) is a test file, or something a test compares with, by common custom. */
export function isTestFile(path: string): boolean {
  return TEST_FILE.some((pattern) => pattern.test(path));
}

/** How many test files are digested; those after them in path order are not. */
const TEST_FILES_KEPT = 5000;

/** The project's test files by path, with the SHA-256 of their content in hexadecimal. */
export async function digestTestFiles(cwd: string): Promise<Record<string, string>> {
  const digests: [string, string][] = [];
  for await (const path of filesUnder(cwd)) {
    if (!isTestFile(path)) continue;
    if (digests.length >= TEST_FILES_KEPT) break;
    const digest = await digestOf(join(cwd, path));
    if (digest !== null) digests.push([path, digest]);
  }
  return Object.fromEntries(digests);
}

/** Null for a file that is gone or cannot be read. */
async function digestOf(file: string): Promise<string | null> {
  const hash = createHash("sha256");
  try {
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  } catch {
    return null;
  }
  return hash.digest("hex");
}
