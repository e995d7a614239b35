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
