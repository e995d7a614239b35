import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createHash, type Hash } from "node:crypto";
import type { Socket } from "node:net";
import { LoopError } from "@ccw-loop/core";
import { gitFailure, gitNotStarted, gitSilent } from "./errors.ts";
import { gitEnvironment } from "./run.ts";

export type ObjectKind = "blob" | "tree" | "commit";

/** Takes the content of an object that is not held in memory, part by part. */
export type Sink = (part: Buffer) => Promise<void>;

interface Running {
  child: ChildProcessWithoutNullStreams;
  asked: Asked[];
  /** Ends the process, and tells whoever waits for it why. */
  end(error: unknown): void;
}

interface Asked {
  name: string;
  kind: ObjectKind;
  sink: Sink | null;
  resolve(content: Buffer | null): void;
  reject(error: unknown): void;
}

/** Where objects are read. */
export interface ObjectPlace {
  /** The top folder of the working tree. */
  top: string;
  hash: "sha1" | "sha256";
  /** Variables of git that say which folders hold the objects. */
  env?: Readonly<Record<string, string>>;
  /** How long one answer may take; a minute by default. */
  patienceMs?: number;
  /** How long the process is kept that nobody asks; a second by default. */
  idleMs?: number | undefined;
}

const IDLE_MS = 1000;
/** An object whose content is shorter than it says has git and us wait for each other. */
const LONGEST_MS = 60_000;
/** The most bytes of an object that is held in memory. */
const MOST_BYTES = 256 * 1024 * 1024;

/**
 * Reads the objects of a repository through one `git cat-file --batch`, and takes none whose content is not what its name
 * says: an agent can write any content under any name into `.git/objects`, and git believes it.
 */
export class ObjectReader {
  readonly #place: ObjectPlace;
  #running: Running | null = null;
  #idle: NodeJS.Timeout | undefined;
  #watch: NodeJS.Timeout | undefined;

  constructor(place: ObjectPlace) {
    this.#place = place;
  }

  /** The content; null when there is no such object of that kind. Throws `workspace_unavailable` for a forged one. */
  find(name: string, kind: ObjectKind): Promise<Buffer | null> {
    return this.#ask(name, kind, null);
  }

  /** As `find`, for an object that has to be there: throws `workspace_unavailable` where it is not. */
  async read(name: string, kind: ObjectKind): Promise<Buffer> {
    const content = await this.find(name, kind);
    if (content === null) throw this.#lost(name);
    return content;
  }

  /**
   * Gives the content to `sink`, which may be given a forged one before the error says so. False when there is no such
   * object of that kind.
   */
  async findInto(name: string, kind: ObjectKind, sink: Sink): Promise<boolean> {
    return (await this.#ask(name, kind, sink)) !== null;
  }

  #ask(name: string, kind: ObjectKind, sink: Sink | null): Promise<Buffer | null> {
    return new Promise((resolve, reject) => {
      this.#running ??= this.#start();
      const { child, asked } = this.#running;
      if (asked.length === 0) {
        setHeld(child, true);
        this.#waitFor(this.#running);
      }
      clearTimeout(this.#idle);
      asked.push({ name, kind, sink, resolve, reject });
      child.stdin?.write(`${name}\n`);
    });
  }

  #start(): Running {
    const { top, env = {} } = this.#place;
    const args = ["cat-file", "--batch"];
    const child = spawn("git", args, { cwd: top, env: gitEnvironment(top, { env }) });
    const asked: Asked[] = [];
    let stderr = "";
    const end = (error: unknown) => {
      clearTimeout(this.#watch);
      if (this.#running === running) this.#running = null;
      for (const { reject } of asked.splice(0)) reject(error);
      child.kill();
    };
    const running: Running = { child, asked, end };
    child.on("error", (cause) => end(gitNotStarted(top, cause)));
    // Without descriptors for them there are none, and the error above says so.
    child.stderr?.on("data", (text: Buffer) => {
      stderr = `${stderr}${text.toString("utf8")}`.slice(-2000);
    });
    // Ctrl-C ends it with every process of the terminal: who asks next asks another one.
    child.on("exit", () => {
      if (this.#running === running && asked.length === 0) this.#running = null;
    });
    // The end of the process tells why it could not be written to.
    child.stdin?.on("error", () => undefined);
    child.on("close", (code, signal) =>
      end(
        gitFailure(args, top, { exitCode: code ?? undefined, signal: signal ?? undefined, stderr }),
      ),
    );
    if (child.stdout) this.#take(running).catch(end);
    return running;
  }

  /** Gives each answer to who asked for it, in the order in which they were asked. */
  async #take(running: Running): Promise<void> {
    let answer: Answer | null = null;
    let header = "";
    for await (const chunk of running.child.stdout as AsyncIterable<Buffer>) {
      this.#waitFor(running);
      let rest = chunk;
      while (rest.length > 0) {
        const [next] = running.asked;
        if (next === undefined) throw new TypeError("git cat-file answers what nobody asked.");
        if (answer === null) {
          const end = rest.indexOf(0x0a);
          header += rest.toString("latin1", 0, end < 0 ? rest.length : end);
          rest = end < 0 ? rest.subarray(rest.length) : rest.subarray(end + 1);
          if (end < 0) continue;
          const [, kind, size] = /^[0-9a-f]+ (\w+) (\d+)$/.exec(header) ?? [];
          header = "";
          if (kind === undefined) this.#settle(running, () => next.resolve(null));
          else if (next.sink === null && kind === next.kind && Number(size) > MOST_BYTES) {
            throw tooLarge(next.name, this.#place.top);
          } else answer = new Answer(next, kind, Number(size), this.#place.hash);
          continue;
        }
        rest = await answer.take(rest);
        if (!answer.isWhole) continue;
        const whole = answer;
        answer = null;
        this.#settle(running, () => {
          if (!whole.isTrue) next.reject(this.#forged(next.name));
          else if (whole.kind !== next.kind) next.resolve(null);
          else whole.failure === null ? next.resolve(whole.content) : next.reject(whole.failure);
        });
      }
    }
  }

  /** Ends the process when nothing comes from it for too long. */
  #waitFor({ end }: Running): void {
    clearTimeout(this.#watch);
    const { top, patienceMs = LONGEST_MS } = this.#place;
    const silent = () => end(gitSilent(["cat-file"], top, patienceMs));
    this.#watch = setTimeout(silent, patienceMs).unref();
  }

  #settle({ child, asked }: Running, answer: () => void) {
    asked.shift();
    answer();
    if (asked.length > 0) return;
    clearTimeout(this.#watch);
    setHeld(child, false);
    this.#idle = setTimeout(() => {
      if (this.#running?.child !== child || asked.length > 0) return;
      this.#running = null;
      child.stdin.end();
    }, this.#place.idleMs ?? IDLE_MS).unref();
  }

  #lost(name: string): LoopError {
    const { top } = this.#place;
    return new LoopError(
      "workspace_unavailable",
      `The repository at ${top} has lost the object ${name}. Check it with: git -C ${top} fsck`,
      { details: { object: name, lost: true } },
    );
  }

  #forged(name: string): LoopError {
    const { top } = this.#place;
    return new LoopError(
      "workspace_unavailable",
      `The repository at ${top} holds another content under the name of the object ${name}: it is damaged, or somebody put it there. Check it with: git -C ${top} fsck`,
      { details: { object: name } },
    );
  }
}

/** The answer to one question while it comes in. */
class Answer {
  readonly kind: string;
  readonly #asked: Asked;
  readonly #parts: Buffer[] = [];
  readonly #hash: Hash;
  #left: number;
  #ended = false;
  /** Why the sink took no more; the rest is read over. */
  failure: unknown = null;

  constructor(asked: Asked, kind: string, size: number, hash: string) {
    this.kind = kind;
    this.#asked = asked;
    this.#left = size;
    this.#hash = createHash(hash).update(`${kind} ${size}\0`);
  }

  /** Takes what belongs to it, with the line end behind it; answers with the rest. */
  async take(bytes: Buffer): Promise<Buffer> {
    const part = bytes.subarray(0, this.#left);
    if (part.length > 0) {
      this.#left -= part.length;
      this.#hash.update(part);
      // Of another kind it is no answer, however large it is.
      if (this.kind !== this.#asked.kind) return bytes.subarray(part.length);
      if (this.#asked.sink === null) this.#parts.push(part);
      else if (this.failure === null) {
        await this.#asked.sink(part).catch((error: unknown) => {
          this.failure = error;
        });
      }
      return bytes.subarray(part.length);
    }
    this.#ended = true;
    return bytes.subarray(1);
  }

  get isWhole(): boolean {
    return this.#ended;
  }

  get isTrue(): boolean {
    return this.#hash.digest("hex") === this.#asked.name;
  }

  get content(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

function tooLarge(name: string, top: string): LoopError {
  return new LoopError(
    "workspace_unavailable",
    `The object ${name} of the repository at ${top} is larger than ${MOST_BYTES / 1024 / 1024} MB. Check it with: git -C ${top} cat-file -s ${name}`,
  );
}

/** Whether the process keeps this one from ending. */
function setHeld(child: ChildProcessWithoutNullStreams, held: boolean): void {
  const streams = [child.stdin, child.stdout, child.stderr] as unknown as (Socket | undefined)[];
  for (const one of [child, ...streams]) held ? one?.ref() : one?.unref();
}
