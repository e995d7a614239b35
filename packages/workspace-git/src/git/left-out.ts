import type { RawPath } from "../raw-path.ts";
import { isSecret } from "../secrets.ts";

/** Untracked files above this size are not kept. */
export const KEEP_LIMIT = 10 * 1024 * 1024;

/** Why a file is in no checkpoint; null when it is kept. A tracked file is the user's own choice. */
export function skipReason(
  path: RawPath,
  file: { tracked: boolean; readable: boolean; size: bigint },
): string | null {
  if (!file.tracked && isSecret(path)) return "may hold secrets";
  if (!file.tracked && file.size > BigInt(KEEP_LIMIT)) {
    return `larger than 10 MB (${Math.ceil(Number(file.size) / 1024 / 1024)} MB)`;
  }
  return file.readable ? null : "cannot be read";
}
