import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorText, LoopError, type LoopService, toLoopError } from "@ccw-loop/core";
import { type Finding, followLoop, isLost } from "@ccw-loop/view";
import type { Answer, Call, CallName, Calls, Effect } from "../model/effect.ts";
import type { Message, Place } from "../model/model.ts";
import { Connection } from "./connection.ts";
import { LocalDriver, recordStart } from "./driving.ts";
import { editedText, textOfFile } from "./editor.ts";
import { clipboardSequence } from "./terminal.ts";

interface EffectDeps {
  service: LoopService;
  place: Place;
  env: Readonly<Record<string, string | undefined>>;
  /** Files are saved in a folder below it. */
  cwd: string;
  /** What a loop needs on this machine, checked. */
  examine: () => Promise<readonly Finding[]>;
  /** Looks for the agent that a new loop begins with where nobody configured one; asked when its form opens. */
  findAgent?: (() => Promise<string>) | undefined;
  /** Gives the terminal to another program until `work` is done. */
  suspended: <T>(work: () => Promise<T>) => Promise<T>;
  /** To the terminal, beside the frames. */
  write: (sequence: string) => void;
  send: (message: Message) => void;
  /** All is over; `whole`: what was driven here is given back. */
  left: (whole: boolean) => void;
  now: () => number;
}

/** Everything that happens outside of the model. */
export class Effects {
  readonly #outside: EffectDeps;
  readonly #driving: LocalDriver;
  readonly #link: Connection;
  readonly #over = new AbortController();
  #following = new AbortController();
  #leaving = false;

  constructor(outside: EffectDeps) {
    const { service, send, place, now } = outside;
    this.#outside = outside;
    this.#driving = new LocalDriver(service, send);
    const { signal } = this.#over;
    this.#link = new Connection({ service, send, signal, now, remote: !place.drives });
  }

  /** Reads and follows the loops, until `end`. */
  begin(): void {
    void this.#link.keep();
  }

  /** Nothing more is read or told. */
  end(): void {
    this.#over.abort();
    this.#following.abort();
  }

  perform(effect: Effect): void {
    switch (effect.type) {
      case "call":
        void this.#call(effect.call);
        return;
      case "follow":
        this.#follow(effect.id);
        return;
      case "drive":
        this.#drive(effect.id);
        return;
      case "quit":
        void this.leave(effect.driven);
    }
  }

  /** Gives back what is driven here, then all is over; asked for again meanwhile, it is over at once. */
  async leave(driven: "pause" | "release"): Promise<void> {
    const first = !this.#leaving;
    this.#leaving = true;
    if (first) await this.#driving.end(driven);
    this.end();
    this.#outside.left(first);
  }

  async #call(call: Call): Promise<void> {
    const { service, examine, findAgent, send, write, env, cwd, suspended } = this.#outside;
    const answer = await performCall(call, {
      service,
      examine,
      findAgent,
      copy: (text) => write(clipboardSequence(text, env)),
      edit: (text) => suspended(() => editedText(text, env)),
      read: (file) => textOfFile(cwd, file),
      save: (name, text) => saveIn(join(cwd, EXPORTS), name, text),
      drive: (id) => this.#drive(id),
    });
    if (this.#over.signal.aborted) return;
    if (!answer.ok && isLost(answer.error)) this.#link.lose(answer.error);
    send({ type: "answered", answer });
  }

  #follow(id: string | null): void {
    this.#following.abort();
    this.#following = new AbortController();
    if (id === null) return;
    const { service, send } = this.#outside;
    const lost = (error: unknown) => this.#link.lose(error);
    void followLoop(id, { service, send, lost, signal: this.#following.signal });
  }

  #drive(id: string): void {
    const { place, service, send } = this.#outside;
    if (place.drives) this.#driving.begin(id);
    else void recordStart(service, id, send);
  }
}

/** What calls are answered with. */
interface CallDeps extends Pick<EffectDeps, "service" | "examine" | "findAgent"> {
  edit: (text: string) => Promise<string>;
  read: (file: string) => Promise<string>;
  copy: (text: string) => void;
  save: (file: string, text: string) => Promise<string>;
  /** Goes on with a loop that was just made. */
  drive: (id: string) => void;
}

type Handlers = {
  [N in CallName]: (with_: CallDeps, args: Calls[N]["args"]) => Promise<Calls[N]["result"]>;
};

const HANDLERS: Handlers = {
  async create({ service, drive }, { spec, drive: start }) {
    const state = await service.create(spec);
    if (start) drive(state.loop_id);
    return state;
  },
  send: ({ service }, { id, command }) => service.send(id, command),
  delete: ({ service }, { id }) => service.delete(id),
  steer: ({ service }, { id, text }) => service.steer(id, text),
  why: ({ service }, { id }) => service.why(id),
  timeline: ({ service }, { id }) => service.timeline(id),
  diff: ({ service }, { id, from, to }) => service.diff(id, { from, to }),
  rewind: ({ service }, { id, to, force }) => service.rewind(id, to, { force }),
  fork: ({ service }, { id, from, title }) => service.fork(id, from, { title }),
  verify: ({ service }, { id }) => service.verify(id),
  generate: ({ service }, { id, count }) => service.generateTasks(id, { count }),
  import: ({ service }, { id, issue }) => service.importTasks(id, issue),
  doctor: ({ examine }) => examine(),
  agent: async ({ findAgent }) => (await findAgent?.()) ?? "",
  edit: ({ edit }, { text }) => edit(text),
  read: ({ read }, { file }) => read(file),
  copy: async ({ copy }, { text }) => copy(text),
  save: ({ save }, { file, text }) => save(file, text),
};

/** Does what a screen asked for. Never rejects: a refusal is an answer. */
export async function performCall(call: Call, answering: CallDeps): Promise<Answer> {
  // One handler for each name, which the compiler cannot follow through the index.
  const handler = HANDLERS[call.name] as (with_: CallDeps, args: Call) => Promise<unknown>;
  try {
    const value = await handler(answering, call);
    return { name: call.name, call, ok: true, value } as Answer;
  } catch (error) {
    return { name: call.name, call, ok: false, error: toLoopError(error) } as Answer;
  }
}

/** Below the folder of the user. What lies in `.workflow` is no part of the files that a receipt proves. */
const EXPORTS = join(".workflow", "exports");

/**
 * Writes a new file, in a folder that is made where it is missing, and answers with its path. One that exists is never
 * written over, and no name leads out of the folder.
 */
export async function saveIn(folder: string, name: string, text: string): Promise<string> {
  const path = join(folder, name.replaceAll(/[^\w.-]+/g, "-"));
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(path, text, { flag: "wx" });
    return path;
  } catch (error) {
    const message = `${path} cannot be written: ${errorText(error)}.`;
    throw new LoopError("invalid_input", message, { cause: error });
  }
}
