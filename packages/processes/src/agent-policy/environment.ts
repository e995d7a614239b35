/**
 * An agent gets an allow-list, not our environment: what is not named here or by its own settings stays with us. What
 * it gets, its commands can read.
 */
const ALLOWED: readonly string[] = [
  ...["PATH", "HOME", "USER", "SHELL", "TERM", "TMPDIR", "LANG"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "DO_NOT_TRACK"],
];

/** Ours alone, whoever asks for them: tokens of the control plane, the scope of a running loop. */
const OURS = "CCW_LOOP_";
/** … but for the project that is being driven, by which the command line knows who calls it. */
const DRIVES = "CCW_LOOP_DRIVES";

/** The environment of an agent: the allowed variables of `source` and those in `names`, where `AB_*` is all that begin so. */
export function agentEnvironment(
  source: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Record<string, string> {
  const prefixes = names.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
  const allowed = Object.entries(source).filter((entry): entry is [string, string] => {
    const [name, value] = entry;
    if (name === DRIVES) return value !== undefined;
    if (value === undefined || name.startsWith(OURS)) return false;
    if (ALLOWED.includes(name.toUpperCase()) || name.startsWith("LC_")) return true;
    return names.includes(name) || prefixes.some((prefix) => name.startsWith(prefix));
  });
  return Object.fromEntries(allowed);
}
