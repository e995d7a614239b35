/**
 * Makes the pictures of the terminal interface in the README: docs/images/tui-{home,loop,debugging,receipt}.svg, from
 * what a real terminal (tmux) shows of real loops.
 *   node apps/tui/scripts/screenshots.ts
 */
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeLoop } from "../test/support/make-loop.ts";
import { commandLine } from "../test/support/sum-project.ts";
import { openTerminal } from "../test/support/terminal.ts";
import { type Studio, studio } from "./record/studio.ts";
import {
  develops,
  developsAndBendsTests,
  guesses,
  hangs,
  hitsTheLimit,
  plans,
} from "./record/turns.ts";
import { svgOf } from "./screenshots/svg.ts";

const SIZE = { columns: 110, rows: 36 };
const images = fileURLToPath(new URL("../../../docs/images", import.meta.url));
const demo = fileURLToPath(new URL("../../../packages/cli/demo/agent.yaml", import.meta.url));

await using here = await studio({ at: join(tmpdir(), "shop") });
await fill(here);
const env = { ...here.env, COLORTERM: "truecolor" };
await using terminal = await openTerminal(commandLine("tui"), { cwd: here.dir, env, ...SIZE });
const { press, shows } = terminal;

await shows(/enter open/);
await press("/");
await terminal.type("right price");
await press("Enter");
await shows(/> . Charge the right price/);
await press("s");
await shows(/Running 1[\s\S]*▸|INIT/);
await press("Enter");
await shows(/▸ DEVELOP \S+[\s\S]*A coupon is/);
await picture(
  "loop",
  "A loop in DEVELOP: its actions, limits, tasks, tests and what the agent does",
);
await shows(/▸ DEBUG[\s\S]*H2/);
await picture("debugging", "A loop in DEBUG: hypotheses with their probes and what the tests said");
await shows("proven: The project's own tests passed");
await press("v");
await shows("It proves the work");
await picture("receipt", "The receipt of a proven loop");
await press("Escape");
await shows(/completed[\s\S]*v receipt/);
await press("Escape");
await shows("esc show all");
await press("Escape");
await shows(/Waiting \d/);
await press("g");
await terminal.resize(SIZE.columns, 22);
await shows((screen) => screen.split("\n").length === 22 && screen.includes("Waiting for you"));
await picture("home", "The list of loops by their health, with the next step on top");

async function picture(name: string, title: string): Promise<void> {
  await mkdir(images, { recursive: true });
  const svg = svgOf(await terminal.colored(), { columns: SIZE.columns, title });
  await writeFile(join(images, `tui-${name}.svg`), svg);
  console.log(`docs/images/tui-${name}.svg, ${svg.length} bytes`);
}

/** Loops in every health; each has a worktree of its own, so that all begin at the same files. */
async function fill({ cli, interrupted, script, dir }: Studio): Promise<void> {
  const made = (...args: string[]) => [
    "run",
    "--worktree",
    "--auto",
    "--agent",
    "scripted:agent.json",
    ...args,
  ];
  await script([plans, developsAndBendsTests(dir)]);
  await cli(4, ...made("Count quantities and take coupons off"));
  await script([plans, develops, guesses]);
  await cli(
    4,
    ...made("--max-stalled", "3", "Round discounted prices: all tests of the project pass"),
  );
  await cli(
    3,
    ...made(
      "--max-iterations",
      "3",
      "Make the stickers cost 30 cents: all tests of the project pass",
    ),
  );
  await script([plans, hitsTheLimit, develops]);
  await cli(75, ...made("--no-wait", "Speed up subtotal() for large carts"));
  await script([plans, hangs, develops]);
  await interrupted("thinking", ...made("カートの合計を正しくする 🛒"));
  await script();
  await cli(0, ...made("Charge for every item: all tests of the project pass"));
  await makeLoop(dir, {
    id: "price",
    description: "Charge the right price: all tests of the project pass",
    settings: { mode: "auto", agent: `scripted:${demo}` },
  });
}
