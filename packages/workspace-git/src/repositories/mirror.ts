import { createHash, randomBytes } from "node:crypto";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { KeyedQueue, LoopError } from "@ccw-loop/core";
import { branchOf, checkpointRef, refsOf } from "../checkpoint/refs.ts";
import { OBJECT_NAME } from "../git/repository.ts";
import { type GitAnswer, git } from "../git/run.ts";
import { quotedPath } from "../raw-path.ts";
import { askServer, reasonIn, refused, unavailable } from "./server.ts";

/** So many checkpoints of one number that other owners pushed are passed over. */
const MOST_VARIANTS = 100;
/** How often git is asked once more where another process changes refs of the mirror. */
const TRIES = 5;

/** Of this process; other processes are met by asking again. */
const queue = new KeyedQueue();

/**
 * A repository as its server has it, in a folder that no agent works in. All that goes over the network goes through
 * here: a clone, whose configuration an agent can write, is never asked where to push and with which program.
 */
export class Mirror {
  readonly url: string;
  readonly folder: string;
  readonly #cache: string;

  constructor(cache: string, url: string) {
    const digest = createHash("sha256").update(url).digest("hex").slice(0, 16);
    const name = basename(url.replace(/[/:]+$/, ""), ".git").replaceAll(/[^\w.-]/g, "_");
    this.#cache = join(cache, "mirrors");
    this.folder = join(this.#cache, `${name.slice(0, 60)}-${digest}.git`);
    this.url = url;
  }

  /** Brings branches, tags and what a loop pushed; makes the mirror where there is none yet. */
  async fetch(id: string): Promise<void> {
    await queue.run(this.folder, async () => {
      if (!(await isFolder(this.folder))) await this.#make();
      const refs = ["refs/heads/*", "refs/tags/*", `${refsOf(id)}*`];
      const args = ["fetch", "--quiet", "--no-tags", "--prune", "--no-write-fetch-head"];
      for (let tries = 1; ; tries += 1) {
        try {
          await this.#ask([...args, "--", this.url, ...refs.map((ref) => `+${ref}:${ref}`)]);
          return;
        } catch (error) {
          const isRace = /cannot lock ref|unable to update local ref/i.test(String(error));
          if (!isRace || tries >= TRIES) throw error;
        }
      }
    });
  }

  /** Asks the server for a ref; null where it has none. */
  async tipOf(ref: string): Promise<string | null> {
    await mkdir(this.#cache, { recursive: true, mode: 0o700 });
    const { stdout } = await askServer(["ls-remote", "--", this.url, ref], {
      cwd: this.#cache,
      url: this.url,
    });
    const found = stdout.split("\n").find((line) => line.endsWith(`\t${ref}`));
    return found?.split("\t")[0] ?? null;
  }

  /** The commit at which a loop begins. Throws `repository_refused` where there is no such thing. */
  async resolve(ref: string | undefined): Promise<string> {
    if (ref === undefined) {
      const head = await this.tipOf("HEAD");
      if (head !== null) return head;
      throw refused(this.url, "it has no commit yet, and a loop begins at one");
    }
    const names = [`refs/heads/${ref}`, `refs/tags/${ref}`, ref];
    for (const name of names) {
      const found = await this.commitOf(name);
      if (found !== null) return found;
    }
    if (OBJECT_NAME.test(ref)) {
      await this.#ask(["fetch", "--quiet", "--no-write-fetch-head", "--", this.url, ref]);
      const found = await this.commitOf(ref);
      if (found !== null) return found;
    }
    throw refused(this.url, `it has no branch, tag or commit named ${ref}`);
  }

  /** Null where there is no such commit here. */
  async commitOf(name: string): Promise<string | null> {
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
    const { exitCode, stdout } = await this.#git(args, [1, 128]);
    return exitCode === 0 ? stdout.trim() : null;
  }

  /** Pushes a commit of a clone behind a ref of the loop that nobody had: `{n}`, or the next free variant of it. */
  async pushCheckpoint(id: string, n: number, commit: string, objects: string): Promise<void> {
    for (let variant = 0; variant < MOST_VARIANTS; variant += 1) {
      const ref = checkpointRef(id, n, variant);
      const answer = await this.#push(commit, ref, objects, [`--force-with-lease=${ref}:`]);
      if (answer === null) return;
      // The answer to an earlier push may have been lost.
      if ((await this.tipOf(ref)) === commit) return;
      if (!/stale info|already exists|fetch first|non-fast-forward/.test(answer)) {
        throw rejected(this.url, ref, answer);
      }
    }
    throw rejected(this.url, checkpointRef(id, n), `${MOST_VARIANTS} of them are there already`);
  }

  /** Pushes the end of a loop as its branch, which only grows. */
  async pushBranch(id: string, commit: string, objects: string): Promise<void> {
    const ref = `refs/heads/${branchOf(id)}`;
    const answer = await this.#push(commit, ref, objects, []);
    if (answer === null) return;
    await this.fetch(id);
    const there = await this.#treeOf(ref, objects);
    // An owner that was killed pushed the same files and did not live to record it.
    if (there !== null && there === (await this.#treeOf(commit, objects))) return;
    throw rejected(this.url, ref, answer);
  }

  /** Null when it is done; else why the server, which answered, did not take it. */
  async #push(
    commit: string,
    ref: string,
    objects: string,
    more: readonly string[],
  ): Promise<string | null> {
    const args = [
      "push",
      "--porcelain",
      "--no-verify",
      ...more,
      "--",
      this.url,
      `${commit}:${ref}`,
    ];
    const answer = await this.#ask(args, objects, [1]);
    if (answer.exitCode === 0) return null;
    const line = answer.stdout.split("\n").find((one) => one.startsWith("!"));
    if (line === undefined) throw unavailable(this.url, reasonIn(answer.stderr));
    return [line.split("\t").at(-1), ...hookLines(answer.stderr)].join("; ");
  }

  async #treeOf(name: string, objects: string): Promise<string | null> {
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{tree}`];
    const { exitCode, stdout } = await this.#git(args, [1, 128], objects);
    return exitCode === 0 ? stdout.trim() : null;
  }

  /** Whole, or not at all. */
  async #make(): Promise<void> {
    await mkdir(this.#cache, { recursive: true, mode: 0o700 });
    const draft = `${this.folder}.${randomBytes(4).toString("hex")}`;
    try {
      await askServer(["clone", "--quiet", "--bare", "--template=", "--", this.url, draft], {
        cwd: this.#cache,
        url: this.url,
      });
      await rename(draft, this.folder).catch(async (error: unknown) => {
        // Another process was first.
        if (!(await isFolder(this.folder))) throw error;
      });
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }

  /** `objects` is the folder of a clone, whose objects are found, too; nothing else of it is read. */
  #ask(args: readonly string[], objects?: string, answers: readonly number[] = []) {
    const env = this.#environment(objects);
    return askServer(args, { cwd: this.folder, url: this.url, env, answers });
  }

  #git(args: readonly string[], answers: readonly number[], objects?: string): Promise<GitAnswer> {
    return git(args, { cwd: this.folder, answers, env: this.#environment(objects) });
  }

  #environment(objects: string | undefined): Record<string, string> {
    return {
      GIT_DIR: this.folder,
      ...(objects ? { GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedPath(objects) } : {}),
    };
  }
}

function hookLines(stderr: string): string[] {
  const said = reasonIn(stderr);
  return said.startsWith("remote: ") ? [said] : [];
}

function rejected(url: string, ref: string, answer: string): LoopError {
  return new LoopError(
    "repository_refused",
    `The git server of ${url} did not take ${ref}: ${answer}. Let it take what lies below refs/ccw-loop/ and refs/heads/ccw-loop/, then resume the loop.`,
    { details: { url, ref } },
  );
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
