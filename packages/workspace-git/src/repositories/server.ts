import { isLoopError, LoopError, protocolOf } from "@ccw-loop/core";
import { type GitAnswer, git } from "../git/run.ts";

/** A repository that is asked over the network may have much to send. */
const LONGEST_MS = 30 * 60 * 1000;
/** A connection on which less than this comes is given up: bytes per second, and for how many seconds. */
const SLOWEST = { "http.lowSpeedLimit": "1", "http.lowSpeedTime": "60" };

/** Of the caller's own `GIT_…` variables, those that say how he reaches his servers. */
const KEPT = ["GIT_SSH_COMMAND", "GIT_SSH", "GIT_ASKPASS", "GIT_SSL_CAINFO", "GIT_SSL_NO_VERIFY"];

interface Asking {
  /** A folder that no agent can write: what its configuration says is done with the operator's rights. */
  cwd: string;
  url: string;
  env?: Readonly<Record<string, string>>;
  answers?: readonly number[];
}

/**
 * Runs a git command that talks to the server of `url`, with the operator's own configuration and credentials and
 * without asking anybody. Throws `repository_unavailable` and `repository_refused`, without any secret in them.
 */
export async function askServer(
  args: readonly string[],
  { cwd, url, env = {}, answers = [] }: Asking,
): Promise<GitAnswer> {
  const protocol = protocolOf(url);
  const timeout = AbortSignal.timeout(LONGEST_MS);
  const own = KEPT.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  try {
    return await git(args, {
      cwd,
      answers,
      signal: timeout,
      config: { ...SLOWEST, [`protocol.${protocol}.allow`]: "always" },
      env: {
        GIT_SSH_COMMAND: "ssh -o BatchMode=yes -o ConnectTimeout=30",
        ...Object.fromEntries(own),
        GIT_ALLOW_PROTOCOL: protocol,
        ...env,
      },
    });
  } catch (error) {
    if (timeout.aborted) throw unavailable(url, `no end after ${LONGEST_MS / 60_000} minutes`);
    throw serverFailure(error, url);
  }
}

/** What no waiting helps against. */
const REFUSALS: readonly RegExp[] = [
  /Authentication failed|could not read (?:Username|Password)|terminal prompts disabled/i,
  /Permission denied|access denied|not exported|Host key verification failed/i,
  /returned error: 40[134]\b|repository .*not found|does not appear to be a git repository/i,
  /does not exist|couldn't find remote ref|dubious ownership|transport '.*' not allowed/i,
];

function serverFailure(error: unknown, url: string): unknown {
  const stderr = isLoopError(error, "workspace_unavailable") ? error.details.stderr : undefined;
  if (typeof stderr !== "string") return error;
  const said = reasonIn(stderr);
  return REFUSALS.some((words) => words.test(stderr)) ? refused(url, said) : unavailable(url, said);
}

export function unavailable(url: string, reason: string): LoopError {
  return new LoopError(
    "repository_unavailable",
    `The git server of ${url} cannot be used now: ${reason}. It is tried again; look at the server and the network.`,
    { details: { url } },
  );
}

export function refused(url: string, reason: string): LoopError {
  return new LoopError(
    "repository_refused",
    `The git server of ${url} refuses: ${reason}. Check the address and the rights of whoever drives the loop, as with: git ls-remote ${url}`,
    { details: { url } },
  );
}

/** The line of git's that says most, without secrets and control characters; what hooks of the server say comes first. */
export function reasonIn(stderr: string): string {
  const lines = Buffer.from(stderr, "latin1")
    .toString("utf8")
    .split(/[\n\r]/)
    .map((line) => withoutSecrets(line).trim())
    .filter((line) => line !== "");
  const said = lines.filter((line) => /^remote: \S/.test(line)).slice(0, 3);
  const fatal = lines.find((line) => /^(?:fatal|error|ssh):/.test(line)) ?? lines.at(-1);
  return [...said, fatal ?? "it gave no reason"].join("; ").replace(/\.$/, "").slice(0, 500);
}

/** An address that git was led to by its configuration may hold a password. */
function withoutSecrets(line: string): string {
  return line.replaceAll(/\/\/[^/\s@]*@/g, "//").replaceAll(/\p{Cc}/gu, " ");
}
