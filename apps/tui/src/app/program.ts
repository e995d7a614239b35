import { noLoops } from "@ccw-loop/view";
import type { Effect } from "../model/effect.ts";
import type { Message, Model } from "../model/model.ts";
import { startOfHome } from "../model/screen-states.ts";
import { update } from "./update.ts";

/** What shows the model to a person, in frames or in lines. */
export interface Renderer {
  /** After every message; it may show several at once. */
  shown: (message: Message, before: Model, after: Model) => void;
  /** Gives the terminal to another program until `work` is done, then takes it back. */
  suspended: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Holds the model: messages come in, effects go out. */
export class Program {
  #model: Model;
  #stage: Renderer | undefined;
  #perform: ((effect: Effect) => void) | undefined;
  readonly #crashed: (error: unknown) => void;

  /** `crashed` is told, once, what a rule or a screen threw; nothing happens after that. */
  constructor(model: Model, crashed: (error: unknown) => void) {
    this.#model = model;
    this.#crashed = crashed;
  }

  get model(): Model {
    return this.#model;
  }

  begin(stage: Renderer, perform: (effect: Effect) => void): void {
    this.#stage = stage;
    this.#perform = perform;
  }

  /** From now on messages are dropped. */
  end(): void {
    this.#stage = undefined;
    this.#perform = undefined;
  }

  /** Never throws. */
  readonly send = (message: Message): void => {
    const stage = this.#stage;
    if (stage === undefined) return;
    this.guard(() => {
      const before = this.#model;
      const { model, effects = [] } = update(before, message);
      this.#model = model;
      stage.shown(message, before, model);
      for (const effect of effects) this.#perform?.(effect);
    });
  };

  /** Does it; what it throws ends the program. */
  guard(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.crash(error);
    }
  }

  /** Ends with what was thrown. */
  crash(error: unknown): void {
    this.end();
    this.#crashed(error);
  }
}

interface FirstModel extends Pick<Model, "size" | "now" | "place" | "keys"> {
  previews?: boolean;
}

/** Before anything is read. */
export function firstModel(given: FirstModel): Model {
  return {
    previews: false,
    ...given,
    link: { state: "live" },
    notice: null,
    loops: noLoops,
    opened: null,
    stack: [startOfHome],
    driven: new Set(),
    pending: [],
  };
}
