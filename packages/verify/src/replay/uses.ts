import { AHEAD_MS, someTimeAhead } from "./clock.ts";
import { endProgram, type Program, programFor, type Use, waitingProgram } from "./program.ts";
import type { Replayer } from "./record.ts";
import { sameButColours, sameButTimes } from "./results.ts";

/** A program that has just started, at another place than the project's own: its name may be what is asked for. */
export const JUST_STARTED: Use = { justStarted: true, inRoom: true };

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

function otherUses(): OtherUse[] {
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
  ];
}

/** Programs for all kinds of use, in the rooms in which they wait for calls to be recorded. */
export interface Begun {
  plain: Promise<Program>;
  justStarted: Promise<Program>;
  others: { about: OtherUse; program: Promise<Program> }[];
}

export function beginUses(replayer: Replayer): Begun {
  const begin = (program: Promise<Program>) => {
    program.catch(() => {});
    return program;
  };
  return {
    plain: begin(waitingProgram(replayer, {})),
    justStarted: begin(programFor(replayer, "present", JUST_STARTED)),
    others: otherUses().map((about) => ({
      about,
      program: begin(waitingProgram(replayer, about.use)),
    })),
  };
}

/** Ends those of them that still wait. */
export async function endUses({ plain, justStarted, others }: Begun): Promise<void> {
  const made = await Promise.allSettled([plain, justStarted, ...others.map((one) => one.program)]);
  const programs = made.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  await Promise.allSettled(programs.map(endProgram));
}
