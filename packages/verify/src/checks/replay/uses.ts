import { AHEAD_MS, someTimeAhead } from "./clock.ts";
import { sameButColours, sameButTimes } from "./compare.ts";
import type { Use } from "./repeat.ts";

/** A kind of ordinary use that is compared with the first one: a program in a pipe that has been running for a while. */
export interface OtherUse {
  use: Use;
  /** Of the objection. */
  kind: string;
  /** Which results are equal, beside those that are the same text. */
  same?: ((a: string, b: string) => boolean) | undefined;
  places: [here: string, there: string];
  message: string;
}

export function otherUses(): OtherUse[] {
  return [
    {
      ...{ use: { terminal: true }, kind: "terminal", same: sameButColours },
      places: ["in a pipe", "in a terminal"],
      message: "Changed sources behave differently in a terminal, where no test looks",
    },
    ...[AHEAD_MS, someTimeAhead()].map(
      (ahead): OtherUse => ({
        ...{ use: { ahead }, kind: "clock", same: sameButTimes(ahead) },
        places: ["now", "later"],
        message: "Changed sources behave differently at another time, when no test looks",
      }),
    ),
    {
      ...{ use: { justStarted: true }, kind: "replay" },
      places: ["after a while", "in a program that has just started"],
      message: "Changed sources behave differently in a program that has just started",
    },
  ];
}
