import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type LoopEvent, LoopState, RecordedEvent } from "@ccw-loop/core";
import {
  cartModel,
  type ModelScript,
  offlineCodexHome,
  startModelServer,
  tempRepo,
} from "@ccw-loop/testkit";
import { BIN } from "../../../packages/cli/test/support/bin.ts";
import { cartFiles } from "../../../packages/cli/test/support/demo-cart.ts";
import { cartScript } from "./cart-script.ts";
import { homeOf } from "./chosen.ts";
import type { Recipe } from "./recipes.ts";

/** One run of the command line. */
interface Run {
  child: ChildProcess;
  /** What it said to people. */
  said: Promise<string>;
  /** Its exit code; null when a signal ended it. */
  ended: Promise<number | null>;
}

/** The cart of the demo in a repository, and real agents, whose models repair it in two tries. */
export interface CartJob extends AsyncDisposable {
  dir: string;
  /** Starts `ccw-loop ARGS` in it. */
  start(...args: string[]): Run;
  /** Of the loop `cart`. */
  state(): LoopState;
  events(): LoopEvent[];
  actions(): string[];
}

/**
 * With `nap` the agent's first DEVELOP turn creates the file `started` and runs that command before it does anything. Codex
 * is there besides, and its model does what `codex` says.
 */
export async function cartJob(
  recipe: Recipe,
  { nap, codex = cartModel() }: { nap?: string; codex?: ModelScript } = {},
): Promise<CartJob> {
  await using made = new AsyncDisposableStack();
  const repo = made.use(await tempRepo(cartFiles()));
  const model = made.use(await startModelServer({ script: codex }));
  const codexHome = made.use(await offlineCodexHome(model.baseUrl));
  const real = await homeOf(recipe);
  real.model.play(cartScript(repo.path, nap));
  const settings = { XDG_CONFIG_HOME: join(real.home, ".config"), NO_COLOR: "1" };
  // Codex over ACP would take its home for its own.
  const beside = recipe.name === "codex-acp" ? {} : codexHome.env;
  const env = { ...process.env, ...beside, ...real.env, ...settings };
  const read = (name: string) => readFileSync(join(repo.path, ".workflow/.loop", name), "utf8");
  const events = () =>
    read("cart.journal.jsonl")
      .trim()
      .split("\n")
      .map((line) => RecordedEvent.parse(JSON.parse(line)).event);
  const owned = made.move();
  return {
    dir: repo.path,
    start(...args) {
      const child = spawn(process.execPath, [BIN, ...args], {
        ...{ cwd: repo.path, env, stdio: ["ignore", "ignore", "pipe"] },
      });
      const ended = once(child, "exit").then(([code]) => code as number | null);
      return { child, said: text(child.stderr), ended };
    },
    state: () => LoopState.parse(JSON.parse(read("cart.json"))),
    events,
    actions: () =>
      events().flatMap((one) => (one.type === "action.completed" ? one.output.action : [])),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
