import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { gitFailure, gitNotStarted, gitSilent } from "./errors.ts";
import { type GitOptions, gitEnvironment } from "./run.ts";

/** Where a command runs, and for how long. */
export interface SessionPlace extends Pick<GitOptions, "config" | "env"> {
  /** The top folder of the working tree. */
  top: string;
  /** How long one answer may take; a minute by default. */
  patienceMs?: number;
  /** How long the process is kept that nobody asks; a second by default. */
  idleMs?: number | undefined;
}

/** What the command answers to one question. */
export interface Answer {
  /**
   * Takes more of the output; answers with what lies behind this answer, or null where it is not whole yet. What it throws
   * ends the process.
   */
  take(output: Buffer): Promise<Buffer | null>;
}

interface Running {
  child: ChildProcessWithoutNullStreams;
  asked: Asked[];
  /** Ends the process, and tells whoever waits for it why. */
  end(error: unknown): void;
}

interface Asked {
  answer: Answer;
  resolve(): void;
  reject(error: unknown): void;
}

const IDLE_MS = 1000;
/** An object whose content is shorter than it says has git and us wait for each other. */
const LONGEST_MS = 60_000;

/** A git command that answers one question after another on its standard input, in one process for as long as it is asked. */
export class GitSession {
  readonly #args: readonly string[];
  readonly #place: SessionPlace;
  #running: Running | null = null;
  #idle: NodeJS.Timeout | undefined;
  #watch: NodeJS.Timeout | undefined;

  constructor(args: readonly string[], place: SessionPlace) {
    this.#args = args;
    this.#place = place;
  }

  /** Ends when the answer is whole; throws as `git` where the command ends before. */
  ask(question: string, answer: Answer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#running ??= this.#start();
      const { child, asked } = this.#running;
      if (asked.length === 0) {
        setHeld(child, true);
        this.#waitFor(this.#running);
      }
      clearTimeout(this.#idle);
      asked.push({ answer, resolve, reject });
      child.stdin?.write(question);
    });
  }

  #start(): Running {
    const { top, config = {}, env = {} } = this.#place;
    const options = { cwd: top, env: gitEnvironment(top, { config, env }) };
    const child = spawn("git", this.#args, options);
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
    child.on("close", (code, signal) => {
      const ended = { exitCode: code ?? undefined, signal: signal ?? undefined, stderr };
      end(gitFailure(this.#args, top, ended));
    });
    if (child.stdout) this.#take(running).catch(end);
    return running;
  }

  /** Gives each answer to who asked for it, in the order in which they were asked. */
  async #take(running: Running): Promise<void> {
    for await (const chunk of running.child.stdout as AsyncIterable<Buffer>) {
      this.#waitFor(running);
      for (let rest: Buffer | null = chunk; rest !== null && rest.length > 0; ) {
        const [next] = running.asked;
        if (next === undefined) {
          throw new TypeError(`git ${this.#args[0]} answers what nobody asked.`);
        }
        rest = await next.answer.take(rest);
        if (rest !== null) this.#settle(running, next);
      }
    }
  }

  /** Ends the process when nothing comes from it for too long. */
  #waitFor({ end }: Running): void {
    clearTimeout(this.#watch);
    const { top, patienceMs = LONGEST_MS } = this.#place;
    const silent = () => end(gitSilent(this.#args, top, patienceMs));
    this.#watch = setTimeout(silent, patienceMs).unref();
  }

  #settle({ child, asked }: Running, { resolve }: Asked) {
    asked.shift();
    resolve();
    if (asked.length > 0) return;
    clearTimeout(this.#watch);
    setHeld(child, false);
    this.#idle = setTimeout(() => {
      if (this.#running?.child !== child || asked.length > 0) return;
      this.#running = null;
      child.stdin.end();
    }, this.#place.idleMs ?? IDLE_MS).unref();
  }
}

/** The commands of one repository that are kept, one process each. */
export class GitSessions {
  readonly #place: SessionPlace;
  readonly #sessions = new Map<string, GitSession>();

  constructor(place: SessionPlace) {
    this.#place = place;
  }

  ask(
    args: readonly string[],
    { config = {}, env = {} }: Pick<GitOptions, "config" | "env">,
    question: string,
    answer: Answer,
  ): Promise<void> {
    const key = JSON.stringify([args, config, env]);
    const session =
      this.#sessions.get(key) ?? new GitSession(args, { ...this.#place, config, env });
    this.#sessions.set(key, session);
    return session.ask(question, answer);
  }
}

/** An answer that ends with a text which stands nowhere else in it: what stands before it, one character per byte. */
export class TextAnswer implements Answer {
  readonly #end: string;
  text = "";

  constructor(end: string) {
    this.#end = end;
  }

  async take(output: Buffer): Promise<Buffer | null> {
    this.text += output.toString("latin1");
    if (!this.text.endsWith(this.#end)) return null;
    this.text = this.text.slice(0, -this.#end.length);
    return output.subarray(output.length);
  }
}

/** Whether the process keeps this one from ending. */
function setHeld(child: ChildProcessWithoutNullStreams, held: boolean): void {
  const streams = [child.stdin, child.stdout, child.stderr] as unknown as (Socket | undefined)[];
  for (const one of [child, ...streams]) held ? one?.ref() : one?.unref();
}
