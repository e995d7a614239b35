import { setImmediate } from "node:timers/promises";
import type { LoopService } from "@ccw-loop/core";
import type { Finding } from "@ccw-loop/view";
import { type ConfigFile, parseConfig } from "../config.ts";
import { Effects } from "../effects/effects.ts";
import { requireTerminal, sizeOf, type Terminal } from "../effects/terminal.ts";
import type { Place } from "../model/model.ts";
import { type Background, themeFor } from "./theme.ts";

export interface TuiOptions extends Terminal {
  service: LoopService;
  place: Place;
  env: Readonly<Record<string, string | undefined>>;
  /** Files are saved in a folder below it. */
  cwd: string;
  /** The file with the keys and the theme; the usual ones by default. */
  config?: ConfigFile;
  /** Lines for a screen reader instead of frames. */
  plain: boolean;
  /** Instead of what the configuration or the terminal says. */
  theme?: Background | undefined;
  /** False for `--no-color`. */
  color: boolean;
  /** What a loop needs on this machine, checked. */
  examine: () => Promise<readonly Finding[]>;
  /** Looks for the agent that a new loop begins with where nobody configured one; asked when its form opens. */
  findAgent?: (() => Promise<string>) | undefined;
  /** Aborts when the interface is to be left now; driven loops stay running for the next supervisor. */
  signal: AbortSignal;
  /** Resolves when that is asked for again: nothing is awaited any more. */
  again: Promise<unknown>;
  /** Given a way to tell a line while the interface has the terminal. */
  onOpen?: (tell: (text: string) => void) => void;
}

/**
 * The terminal interface, until somebody leaves it. False when somebody did not wait until the loops were given back.
 * Throws `invalid_input` without a terminal and for a useless configuration; what a screen throws is thrown again once
 * the terminal is as it was.
 */
export async function openTui(options: TuiOptions): Promise<boolean> {
  const { stdout, env, plain, place, signal } = options;
  requireTerminal(options, { plain, term: env.TERM });
  const {
    keys,
    theme: configured,
    mouse,
    colors,
  } = parseConfig(options.config ?? { path: "", value: {} });
  const background = options.theme ?? configured;
  const theme = themeFor({ background, colors, color: options.color, env, plain });
  const over = Promise.withResolvers<boolean>();
  const [{ firstModel, Program }, { Lines }, { Frames }] = await withProductionEnv(() =>
    Promise.all([import("./program.ts"), import("./plain.ts"), import("./full-screen.tsx")]),
  );
  const model = firstModel({
    size: sizeOf(stdout),
    now: Date.now(),
    place,
    keys,
    previews: !plain,
  });
  const program = new Program(model, over.reject);
  const stage = plain ? new Lines(program, theme) : new Frames(program, theme, { mouse });
  const effects = new Effects({
    ...options,
    suspended: (work) => stage.suspended(() => unread(options.stdin, work)),
    write: (sequence) => void stdout.write(sequence),
    send: program.send,
    left: over.resolve,
    now: Date.now,
  });
  const resized = () => program.send({ type: "resized", size: sizeOf(stdout) });
  const tick = setInterval(() => program.send({ type: "ticked", now: Date.now() }), 1000);
  const leave = () => {
    // Perhaps nobody is there any more to write to.
    stage.freeze();
    void effects.leave("release");
  };
  const restore = () => stage.close();
  stdout.on("resize", resized);
  process.on("uncaughtExceptionMonitor", restore);
  signal.addEventListener("abort", leave, { once: true });
  void options.again.then(() => over.resolve(false));
  program.begin(stage, (effect) => effects.perform(effect));
  try {
    stage.open(options);
    options.onOpen?.((text) => program.send({ type: "told", notice: { tone: "warning", text } }));
    effects.begin();
    if (signal.aborted) leave();
    return await over.promise;
  } finally {
    program.end();
    clearInterval(tick);
    stdout.off("resize", resized);
    signal.removeEventListener("abort", leave);
    stage.close();
    process.off("uncaughtExceptionMonitor", restore);
    // After a crash they are still driven.
    await effects.leave("release");
  }
}

/** Does it while nothing of the terminal is read here: else the first key of an editor would be ours. */
async function unread<T>(stdin: Terminal["stdin"], work: () => Promise<T>): Promise<T> {
  // A stream to which nobody listens any more can be paused from the next turn on.
  await setImmediate();
  stdin.pause();
  return await work();
}

/**
 * Loads what contains React as it is made for production: the other build keeps a record of every render for as long
 * as the process lives. React looks at NODE_ENV when it is loaded; agents and tests, which inherit our variables, must
 * not see it changed.
 */
export async function withProductionEnv<T>(load: () => Promise<T>): Promise<T> {
  const { env } = process;
  const before = env.NODE_ENV;
  env.NODE_ENV = "production";
  try {
    return await load();
  } finally {
    if (before === undefined) delete env.NODE_ENV;
    else env.NODE_ENV = before;
  }
}
