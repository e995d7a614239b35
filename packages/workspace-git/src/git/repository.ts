import { lstat, realpath } from "node:fs/promises";
import { join, posix, resolve } from "node:path";
import { LoopError } from "@ccw-loop/core";
import { readPlain } from "@ccw-loop/processes/plain-file";
import { quotedPath, type RawPath, textOf } from "../raw-path.ts";
import { isNoRepository } from "./errors.ts";
import { ObjectReader } from "./object-reader.ts";
import { type GitAnswer, git } from "./run.ts";

/** How a repository names its objects. */
export type HashName = "sha1" | "sha256";

/** A repository with a working tree, as seen from one folder in it. All paths are absolute. */
export interface Repository {
  cwd: string;
  top: string;
  /** From the top to `cwd`, with `/` at its end; empty at the top. */
  prefix: string;
  /** Of this working tree alone; a linked one has its own. */
  gitDir: string;
  index: string;
  /** The git folder that all working trees of the repository share. */
  common: string;
  objects: string;
  hash: HashName;
  reader: ObjectReader;
}

/** The name of an object, of either kind of repository. */
export const OBJECT_NAME = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** What stands for "no object". */
export function zeroName({ hash }: Pick<Repository, "hash">): string {
  return "0".repeat(hash === "sha1" ? 40 : 64);
}

/**
 * The repository around `cwd`; null when there is none, when git is not installed, or when the repository
 * ignores this very folder. Throws `unsafe_path` when git refuses to trust it.
 */
export async function findRepository(cwd: string): Promise<Repository | null> {
  try {
    const [top = "", prefix = "", gitDir = "", common = "", ...rest] = await asked(cwd);
    const [index = "", objects = "", named] = rest;
    if (prefix !== "" && (await isIgnored(cwd))) return null;
    const hash = named === "sha256" ? "sha256" : "sha1";
    if (!(await belongsTo(top, gitDir))) throw elsewhere(cwd, top);
    const reader = new ObjectReader({ top, hash });
    return { cwd, top, prefix, gitDir, common, index, objects, hash, reader };
  } catch (error) {
    return refused(error, cwd);
  }
}

/** Throws `invalid_input` where there is none. */
export async function requireRepository(cwd: string): Promise<Repository> {
  const repository = await findRepository(cwd);
  if (repository) return repository;
  throw new LoopError("invalid_input", `${cwd} is in no git repository. Run git init there first.`);
}

/** Whether the `.git` of that folder is this git folder: configuration can name any folder as the working tree. */
async function belongsTo(top: string, gitDir: string): Promise<boolean> {
  const place = join(top, ".git");
  const found = await lstat(place).catch(() => null);
  const text = found?.isFile() ? (readPlain(place)?.toString("utf8") ?? "") : "";
  const [, named] = /^gitdir: (.+)\n?$/.exec(text) ?? [];
  const there = await realpath(named === undefined ? place : resolve(top, named)).catch(() => "");
  return there !== "" && there === (await realpath(gitDir).catch(() => gitDir));
}

function elsewhere(cwd: string, top: string): LoopError {
  return new LoopError(
    "unsafe_path",
    `The repository of ${cwd} says that its files lie in ${top}, which has another .git. Check core.worktree: git -C ${cwd} config --get core.worktree`,
  );
}

const QUESTIONS = [
  ["--show-toplevel"],
  ["--show-prefix"],
  ["--git-dir"],
  ["--git-common-dir"],
  ["--git-path", "index"],
  ["--git-path", "objects"],
  ["--show-object-format"],
];

/** The answers are lines, and a path may hold a line end: then they are asked one by one. */
async function asked(cwd: string): Promise<string[]> {
  const ask = async (questions: string[]) => {
    const { stdout } = await git(["rev-parse", "--path-format=absolute", ...questions], { cwd });
    return textOf(stdout).replace(/\n$/, "");
  };
  const together = (await ask(QUESTIONS.flat())).split("\n");
  return together.length === QUESTIONS.length ? together : Promise.all(QUESTIONS.map(ask));
}

async function isIgnored(cwd: string): Promise<boolean> {
  const answer: GitAnswer = await git(["check-ignore", "-q", "."], { cwd, answers: [1] });
  return answer.exitCode === 0;
}

function refused(error: unknown, cwd: string): null {
  if (isNoRepository(error)) return null;
  if (!(error instanceof LoopError)) throw error;
  const told = String(error.details.stderr ?? "");
  if (told.includes("dubious ownership")) {
    throw new LoopError(
      "unsafe_path",
      `git does not trust the repository of ${cwd}: it belongs to another user. See safe.directory in git help config.`,
      { cause: error },
    );
  }
  throw error;
}

/** The commit behind a ref or a name; null when it is not there. */
export async function commitOf(
  { top, reader }: Pick<Repository, "top"> & Partial<Pick<Repository, "reader">>,
  ref: string,
): Promise<string | null> {
  if (reader && OBJECT_NAME.test(ref)) return (await reader.find(ref, "commit")) && ref;
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
  const { exitCode, stdout } = await git(args, { cwd: top, answers: [1, 128] });
  return exitCode === 0 ? stdout.trim() : null;
}

/** The commit behind HEAD; null before the first one. Git is asked only where it is not in a file of its own. */
export async function headCommit(repository: Repository): Promise<string | null> {
  const { gitDir, common, reader } = repository;
  const read = (...parts: string[]) => (plainText(join(...parts)) ?? "").trim();
  const head = read(gitDir, "HEAD");
  const [, ref] = /^ref: (refs\/heads\/.+)$/.exec(head) ?? [];
  const name = ref === undefined ? head : read(common, ref);
  const isThere = OBJECT_NAME.test(name) && (await reader.find(name, "commit")) !== null;
  return isThere ? name : commitOf(repository, "HEAD");
}

const MOST_REF_BYTES = 64 * 1024;

/** Null for no file. Throws `workspace_unavailable` for what git would wait for, or read without an end. */
function plainText(file: string): string | null {
  try {
    return readPlain(file, { most: MOST_REF_BYTES })?.toString("utf8") ?? null;
  } catch (cause) {
    // A folder of refs, or a path through a file: it names nothing.
    if (["EISDIR", "ENOTDIR"].includes(String((cause as NodeJS.ErrnoException).code))) return null;
    throw new LoopError(
      "workspace_unavailable",
      `${file} is no plain file, or a very large one. Remove it, then try again.`,
      { cause },
    );
  }
}

/** New objects go to our own folder; the repository's own are only read. */
export function objectFolders(
  { objects: theirs }: Repository,
  objects: string,
): Record<string, string> {
  return {
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedPath(theirs),
  };
}

/** A path from the top, as people and programs see it: from `cwd`. */
export function shownPath({ prefix }: Pick<Repository, "prefix">, path: RawPath): string {
  const text = textOf(path);
  return prefix === "" ? text : posix.relative(`/${prefix}`, `/${text}`);
}
