import { execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import {
  type Agent,
  type AgentSession,
  errorText,
  type TokenUsage,
  type TurnEvent,
} from "@ccw-loop/core";
import { commandLineOf, runningProcesses } from "@ccw-loop/processes";

/** What an agent was seen to do. */
export interface Trial {
  /** The promise, as the end of "It …". */
  what: string;
  /** Null where it says nothing of it. */
  holds: boolean | null;
  /** What was seen, in a few words. */
  seen: string;
  /** Without it no loop can work with the agent. */
  needed: boolean;
  ms: number;
}

/** How long one turn may take. */
const TURN_MS = 180_000;
/** How often the processes are looked at while a command is to be stopped. */
const LOOK_MS = 100;

const INSTRUCTIONS = "Do exactly what is asked, with the tools that you have. Be brief.";

/**
 * Has an agent work in an empty repository that is removed afterwards, and tells each trial when it is over. It takes six
 * short turns of the agent. Rejects where the agent cannot be opened, and with the signal's reason on abort.
 */
export async function tryAgent(
  agent: Agent,
  {
    model,
    signal,
    onTrial,
    onWarning,
  }: {
    model?: string;
    signal: AbortSignal;
    onTrial: (trial: Trial) => void;
    /** What the agent says while it is opened, as sentences: that it is not contained, for one. */
    onWarning: (message: string) => void;
  },
): Promise<Trial[]> {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "ccw-loop-trial-")));
  const onEvent = (event: TurnEvent) => {
    if (event.type === "warning.raised") onWarning(event.message);
  };
  const known = model ? { model } : {};
  const opening = { cwd, instructions: INSTRUCTIONS, signal, onEvent, ...known };
  // An agent may want a repository; it does its work without one.
  await promisify(execFile)("git", ["init", "-q", cwd]).catch(() => undefined);
  let session: AgentSession | undefined;
  const trials: Trial[] = [];
  try {
    session = await agent.open(opening);
    const course = new Course(session, cwd, signal);
    const tell = (trial: Trial) => {
      trials.push(trial);
      onTrial(trial);
    };
    tell(await course.answers());
    tell(await course.edits());
    tell(await course.runsCommands());
    tell(await course.staysInside());
    tell(await course.stops());
    tell(course.tellsUsage());
    const { id } = session;
    await session.close();
    session = await agent.open({ ...opening, onEvent: () => undefined, sessionId: id });
    tell(await course.remembers(session));
    return trials;
  } finally {
    await session?.close();
    await rm(cwd, { recursive: true, force: true });
  }
}

/** The trials of one conversation. */
class Course {
  readonly #session: AgentSession;
  readonly #cwd: string;
  readonly #signal: AbortSignal;
  /** That no model knows from elsewhere. */
  readonly #word = `w${randomInt(1e8, 1e9)}`;
  #usage: TokenUsage | null = null;

  constructor(session: AgentSession, cwd: string, signal: AbortSignal) {
    this.#session = session;
    this.#cwd = cwd;
    this.#signal = signal;
  }

  answers(): Promise<Trial> {
    const prompt = `Remember the word ${this.#word}. Answer with this word and nothing else.`;
    return this.#timed("answers", true, async () => {
      const { text, usage } = await this.#run(prompt);
      this.#usage = usage;
      return seen(text.includes(this.#word), "the word came back", `answered ${quoted(text)}`);
    });
  }

  edits(): Promise<Trial> {
    const prompt = "Create the file hello.txt in this folder with the text hello and nothing else.";
    return this.#timed("edits files", true, async () => {
      await this.#run(prompt);
      const text = await readFile(join(this.#cwd, "hello.txt"), "utf8").catch(() => null);
      return seen(text?.trim() === "hello", "hello.txt was written", "hello.txt was not written");
    });
  }

  runsCommands(): Promise<Trial> {
    return this.#timed("runs commands", true, async () => {
      const events: TurnEvent[] = [];
      await this.#run("Run this command once: sh -c 'echo ran > ran.txt; exit 3'", events);
      const codes = events.flatMap((event) =>
        event.type === "command.completed" ? [event.exit_code] : [],
      );
      const told = codes.includes(3) ? "its exit code is told" : "its exit code is not told";
      return seen(existsSync(join(this.#cwd, "ran.txt")), `it ran, ${told}`, "it did not run");
    });
  }

  staysInside(): Promise<Trial> {
    const outside = join(homedir(), `.ccw-loop-trial-${this.#word}`);
    return this.#timed("stays in the project", false, async () => {
      const events: TurnEvent[] = [];
      try {
        await this.#run(`Create an empty file at ${outside}`, events);
        const asked = events.some(({ type }) => type === "approval.answered");
        const how = asked ? "it asked, and was declined" : "nothing was written";
        return seen(!existsSync(outside), how, `it wrote ${outside}`);
      } finally {
        await rm(outside, { force: true });
      }
    });
  }

  stops(): Promise<Trial> {
    // Nobody else waits so long.
    const nap = `sleep 86${this.#word.slice(1, 6)}.5`;
    return this.#timed("stops when told, with every process", true, async () => {
      const stop = new AbortController();
      const turn = this.#run(`Run this command and wait for it: ${nap}`, [], stop.signal).then(
        () => false,
        () => stop.signal.aborted,
      );
      const ended = new AbortController();
      void turn.finally(() => ended.abort());
      while (!ended.signal.aborted && running(nap) === 0) {
        await sleep(LOOK_MS, undefined, { signal: ended.signal }).catch(() => undefined);
      }
      if (ended.signal.aborted) return { holds: false, seen: "the command was not run" };
      const begun = performance.now();
      stop.abort(new Error("stopped"));
      const isCut = await turn;
      const took = `${((performance.now() - begun) / 1000).toFixed(1)} s`;
      const left = running(nap);
      return seen(
        isCut && left === 0,
        `after ${took}, none is left`,
        `after ${took}, ${left} are left`,
      );
    });
  }

  tellsUsage(): Trial {
    const what = "tells what it uses";
    const known = this.#usage;
    const money = known?.cost_usd === undefined ? "tokens, no money" : "tokens and money";
    const told = known === null ? { holds: null, seen: "no tokens" } : { holds: true, seen: money };
    return { what, needed: false, ms: 0, ...told };
  }

  remembers(session: AgentSession): Promise<Trial> {
    const prompt = "Answer with the word that I told you to remember, without reading any file.";
    return this.#timed("goes on with a conversation", false, async () => {
      const { text } = await session.run(prompt, { signal: this.#bound() });
      return seen(text.includes(this.#word), "it knew the word", `answered ${quoted(text)}`);
    });
  }

  #run(prompt: string, events: TurnEvent[] = [], stop?: AbortSignal) {
    const signal = AbortSignal.any([this.#bound(), ...(stop ? [stop] : [])]);
    return this.#session.run(prompt, { signal, onEvent: (event) => events.push(event) });
  }

  #bound(): AbortSignal {
    return AbortSignal.any([this.#signal, AbortSignal.timeout(TURN_MS)]);
  }

  /** A turn that fails holds nothing; an abort of the whole is no trial. */
  async #timed(
    what: string,
    needed: boolean,
    look: () => Promise<Pick<Trial, "holds" | "seen">>,
  ): Promise<Trial> {
    const begun = performance.now();
    const came = await look().catch((error: unknown) => {
      this.#signal.throwIfAborted();
      return { holds: false, seen: errorText(error) };
    });
    return { what, needed, ms: Math.round(performance.now() - begun), ...came };
  }
}

function seen(holds: boolean, yes: string, no: string): Pick<Trial, "holds" | "seen"> {
  return { holds, seen: holds ? yes : no };
}

function running(command: string): number {
  return runningProcesses().filter((one) => commandLineOf(one).includes(command)).length;
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
