import type { RawPath } from "./raw-path.ts";

const FOLDERS = new Set([".aws", ".azure", ".gnupg", ".kube", ".ssh"]);

const NAMES: readonly RegExp[] = [
  /^\.env(rc)?$/,
  /^\.env\.(?!(.*\.)?(example|sample|template)$)/,
  /\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk)$/,
  /^id_(rsa|dsa|ecdsa|ed25519)/,
  /^(\.npmrc|\.netrc|_netrc|\.pypirc|\.pgpass|\.dockercfg|\.git-credentials)$/,
  /^(credentials|service-account).*\.json$/,
  /^secrets\.(ya?ml|json|toml)$/,
];

/** Whether a file of this path probably holds secrets; by its name alone. */
export function isSecret(path: RawPath): boolean {
  const parts = path.toLowerCase().split("/");
  const name = parts.pop() ?? "";
  return parts.some((part) => FOLDERS.has(part)) || NAMES.some((pattern) => pattern.test(name));
}

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

/** Files above this size that no tool of the user keeps already are not read. */
export const READ_LIMIT = 50 * 1024 * 1024;

/**
 * The text that stands in a tree for a file that is not read: its size and its time. A file that was touched
 * gets another name although its content is the same, so that a proof is asked for once too often rather
 * than not at all.
 */
export function placeholderText({ size, mtimeNs }: { size: bigint; mtimeNs: bigint }): string {
  return `ccw-loop: a file of ${size} bytes, last modified at ${mtimeNs} ns\n`;
}
