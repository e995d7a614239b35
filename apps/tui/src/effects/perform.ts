import { join } from "node:path";
import type { LoopService } from "@ccw-loop/core";
import type { Finding } from "@ccw-loop/view";
import type { Effect } from "../model/effect.ts";
import type { Message } from "../model/message.ts";
import type { Place } from "../model/model.ts";
import { performCall } from "./call.ts";
import { clipboardSequence } from "./clipboard.ts";
import { LocalDriver, recordStart } from "./driving.ts";
import { Connection } from "./link.ts";
import { followLoop, isLost } from "./loop-feed.ts";
import { EXPORTS, saveIn } from "./save.ts";

export interface EffectDeps {
  service: LoopService;
  place: Place;
  env: Readonly<Record<string, string | undefined>>;
  /** Files are saved in a folder below it. */
  cwd: string;
  /** What a loop needs on this machine, checked. */
  examine: () => Promise<readonly Finding[]>;
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

  async #call(call: Extract<Effect, { type: "call" }>["call"]): Promise<void> {
    const { service, examine, send, write, env, cwd } = this.#outside;
    const answer = await performCall(call, {
      service,
      examine,
      copy: (text) => write(clipboardSequence(text, env)),
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
