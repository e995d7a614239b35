import { z } from "zod";
import type { Known } from "../json.ts";

/** Longer than any address in use. */
const LONGEST = 2048;

/** The ways to a git server that a loop may name, and the protocol of each as git calls it. */
const SCHEMES = ["https", "http", "ssh", "git", "file"] as const;

/** Where git finds a repository, without any secret: it is shown to everybody who may see the loop. */
const RepositoryUrl = z
  .string()
  .max(LONGEST, `use ${LONGEST} characters or less`)
  .superRefine((url, context) => {
    const problem = urlProblem(url);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  });

/** A branch, a tag, a full ref or a commit; nothing that git would take for an option or a range. */
const RepositoryRef = z
  .string()
  .max(255, "use 255 characters or less")
  .refine(isRefName, "name a branch, a tag or a commit");

/** As git's own rules have it (git-check-ref-format(1)), and no leading dash. */
function isRefName(text: string): boolean {
  return (
    /^[^\s~^:?*[\\\p{Cc}]+$/u.test(text) &&
    !/^[-./]|[./]$/.test(text) &&
    !/\.\.|@\{|\/\/|\.lock(\/|$)/.test(text)
  );
}

/**
 * The repository that a loop brings with it: whoever drives the loop clones it, and pushes what it keeps
 * (`refs/ccw-loop/{loopId}/{n}`) and its end (the branch `ccw-loop/{loopId}`) there.
 */
export const LoopRepository = z.looseObject({
  url: RepositoryUrl,
  /** Where the loop begins; the server's own choice (HEAD) by default. */
  ref: RepositoryRef.optional(),
  /** A command that is run once in each new clone before anything else: it installs what tests need. */
  setup: z.string().trim().min(1, "give a command").max(LONGEST).optional(),
});
export type LoopRepository = Known<z.infer<typeof LoopRepository>>;

/** What a worker has and a loop may need: `linux`, `gpu`, `node:24`. */
export const Label = z
  .string()
  .regex(/^[A-Za-z0-9][\w.:/-]{0,62}$/, "use letters, digits and . _ : / - for a label");

export function protocolOf(url: string): (typeof SCHEMES)[number] {
  const scheme = schemeOf(url);
  if (scheme !== undefined) return SCHEMES.find((known) => known === scheme) ?? "file";
  return url.startsWith("/") ? "file" : "ssh";
}

function schemeOf(url: string): string | undefined {
  return /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase();
}

/** `user@host:path`, as ssh writes it. */
const SCP_LIKE = /^(?:\w[\w.-]*@)?[\w][\w.-]*:(?![:/])[^\s].*$/;

const SECRETS =
  "leave the password out, everybody who sees the loop would see it; a credential helper of git or an SSH key of whoever drives the loop brings it";

function urlProblem(url: string): string | undefined {
  if (/[\s\p{Cc}]/u.test(url)) return "use no spaces and no control characters";
  const scheme = schemeOf(url);
  if (scheme === undefined) {
    if (url.startsWith("/") || SCP_LIKE.test(url)) return undefined;
    return "use https://HOST/PATH, ssh://USER@HOST/PATH, USER@HOST:PATH or an absolute path";
  }
  if (!SCHEMES.some((known) => known === scheme)) {
    return `git is not asked to use ${scheme}://; use one of ${SCHEMES.join(", ")}`;
  }
  if (scheme === "file") return url.startsWith("file:///") ? undefined : "use file:///PATH";
  const [, authority = "", path = ""] = /^[^:]+:\/\/([^/]*)(.*)$/.exec(url) ?? [];
  const at = authority.lastIndexOf("@");
  const [user, host] = [authority.slice(0, Math.max(at, 0)), authority.slice(at + 1)];
  if (host === "" || host.startsWith("-")) return "name a host";
  if (user.startsWith("-")) return "name a user";
  if (user.includes(":") || (user !== "" && scheme !== "ssh")) return SECRETS;
  if (/[?#]/.test(path)) return SECRETS;
  return undefined;
}
