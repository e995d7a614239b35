import { exitCodeOf, type LoopService, type LoopState, type RunOptions } from "@ccw-loop/core";
import { progressSoFar } from "@ccw-loop/view";
import { outcomeData, outcomeText } from "../output/outcome.ts";
import { askKnownRed, askMenu, askSetup, askWaiting } from "../output/questions.ts";
import { openView, type View } from "../output/run-view.ts";
import type { Context } from "../runtime/context.ts";
import { exitCodeFor, listen } from "../runtime/interrupts.ts";
import type { SignalName } from "../runtime/io.ts";
import { markDriving } from "../runtime/operator-origin.ts";
import type { Answer } from "../runtime/perform.ts";
import { type Answered, canAsk, type NoAnswer } from "../runtime/prompt.ts";

export interface DriveOptions {
  /** Lines of JSON on stdout instead of a view. */
  events?: boolean;
  /** False for `--no-wait`: leave instead of waiting for a usage limit. */
  wait?: boolean;
  /** What to do next, when that is not what the loop's state says. */
  next?: string[];
}

/**
 * Drives a loop in this terminal until it ends, pauses or waits for what nobody here can give. The first
 * signal pauses the loop, the second leaves at once.
 */
export async function drive(context: Context, id: string, options: DriveOptions): Promise<Answer> {
  const loops = await context.parts.loops();
  let state = await loops.get(id);
  const view = await openView(context, await progressSoFar(loops, state), options);
  using interrupts = listen(context.io, {
    ignore: "SIGPIPE",
    onFirst: () => context.say("Pausing the loop. Press Ctrl-C again to quit immediately."),
  });
  using _mark = markDriving(context.root);
  const person = new Person(context, view, interrupts.signal);
  const work = async () => {
    do {
      state = await loops.run(id, {
        waitForLimits: options.wait !== false,
        ...person.runOptions,
      });
    } while (await person.askWaiting(loops, state));
  };
  try {
    const ending = await interrupts.untilSecond(work());
    const { leftBy } = person;
    const exit = interrupts.exit(leftBy === undefined ? exitCodeOf(state) : exitCodeFor(leftBy));
    if (options.events) return { exit, ...ending };
    view.close();
    const text = ending.exitNow ? "" : outcomeText(state, context, options.next);
    return { data: outcomeData(state, context), text, exit, ...ending };
  } finally {
    view.close();
  }
}

/** The person at the terminal of a driven loop, if there is one: chooses from the menu, answers questions. */
export class Person {
  readonly #context: Context;
  readonly #view: View;
  readonly #signal: AbortSignal;
  readonly #interrupt = new AbortController();
  /** Aborted when the answer to the open question no longer matters. */
  #questionCancelled = new AbortController();
  /** Set when the person left a question with Ctrl-C. */
  leftBy: SignalName | undefined;

  constructor(context: Context, view: View, signal: AbortSignal) {
    this.#context = context;
    this.#view = view;
    this.#signal = signal;
  }

  /**
   * How a run shows what it does and, on a terminal, asks for the next action and about red tests. Ctrl-C at the menu pauses the loop as
   * a signal does: the terminal is in raw mode there, so it arrives as a key.
   */
  get runOptions(): Pick<RunOptions, "askKnownRed" | "askSetup" | "choose" | "onEvent" | "signal"> {
    const signal = AbortSignal.any([this.#signal, this.#interrupt.signal]);
    const onEvent: RunOptions["onEvent"] = (live) => {
      this.#view.event(live);
      const type = live.kind === "recorded" ? live.recorded.event.type : undefined;
      // Somebody else took the loop: nobody waits for the choice any more.
      if (type === "loop.paused" || type === "loop.stopped") this.#questionCancelled.abort();
    };
    if (!canAsk(this.#context.io)) return { onEvent, signal };
    return {
      onEvent,
      signal,
      choose: (menu, state) =>
        this.#answered((signal) => askMenu(this.#context, menu, state, signal), "exit"),
      ...(this.#context.json
        ? {}
        : {
            askKnownRed: (red) =>
              this.#answered((signal) => askKnownRed(this.#context, red, signal), []),
            askSetup: (missing) =>
              this.#answered((signal) => askSetup(this.#context, missing, signal), false),
          }),
    };
  }

  /** Asks what a waiting loop wants to know. False when there is nothing to ask, or nobody. */
  async askWaiting(loops: LoopService, state: LoopState): Promise<boolean> {
    const { waiting } = state;
    const asks =
      waiting !== undefined && waiting.kind !== "usage_limit" && state.status === "running";
    if (!asks || !canAsk(this.#context.io)) return false;
    const reply = await this.#asking((signal) => askWaiting(this.#context, waiting, signal));
    if (reply.why !== null) {
      if (reply.why === "interrupted") this.leftBy = "SIGINT";
      return false;
    }
    await loops.send(state.loop_id, reply.value);
    return true;
  }

  /** What the run is told; `closed` at the end of input. */
  async #answered<T>(
    question: (signal: AbortSignal) => Promise<Answered<T>>,
    closed: T,
  ): Promise<T> {
    const reply = await this.#asking(question);
    if (reply.why === null) return reply.value;
    if (reply.why === "closed") return closed;
    return this.#neverAnswer(reply.why);
  }

  /** The run ends by its signal, or by what took the question away: an answer would come too late. */
  #neverAnswer(why: NoAnswer): Promise<never> {
    if (why === "interrupted") {
      this.leftBy = "SIGINT";
      this.#interrupt.abort(`interrupted by ${this.leftBy}`);
    }
    return new Promise<never>(() => undefined);
  }

  /** Takes the screen from the view while a question is open. */
  async #asking<T>(question: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#questionCancelled = new AbortController();
    this.#view.suspend();
    try {
      return await question(AbortSignal.any([this.#signal, this.#questionCancelled.signal]));
    } finally {
      this.#view.resume();
    }
  }
}
