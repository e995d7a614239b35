import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, rm, symlink } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { BIN } from "./support/bin.ts";
import { emptyFolder } from "./support/folder.ts";
import { commitAll, plan, project, type Turn, write } from "./support/project.ts";

/** What a command comes to that was printed: its exit code and words that it prints. One that goes on is ended by Ctrl-C then. */
type Expected = [exit: number | "goes on", words: RegExp];

interface Situation {
  name: string;
  /** What is typed to come there. */
  typed: string[];
  /** What is typed there, whose output is looked at: that of the above is as well. */
  looked: string[];
  /** What stays open in another terminal until all is tried. */
  beside?: string;
  /** Every command that is printed, and what it comes to; a port of this machine is PORT. */
  printed: Record<string, Expected>;
  /** Of the agent after its plan. */
  turns?: Turn[];
}

const START = 'ccw-loop start --verify "node check.mjs" --loop-id a x';
const RUN = "ccw-loop run --auto --loop-id a --create x";
const PROVEN: Expected = [0, /^Completed and proven: x$/m];
const GOES_ON: Expected = [0, /^Loop a is running\. Go on with: ccw-loop run --loop-id a$/m];

/** What commands that only look come to, wherever they are printed. */
const LOOKS: Record<string, Expected> = {
  "ccw-loop list": [0, /./],
  "ccw-loop logs a": [0, /^(── INIT |$)/],
  "ccw-loop show a": [0, /^ {2}Loop +a$/m],
  "ccw-loop show a --receipt": [0, /^ {2}Receipt +receipt-002$/m],
  "ccw-loop timeline a": [0, /^# +TIME +ACTION /],
  "ccw-loop why a": [0, /^Nothing is next: /],
};

/** A command that nobody foresaw fails the test. */
const UNSAID: Expected = [0, /^(?!)/];

const OUT_OF_QUOTA: Turn = {
  action: "DEVELOP",
  once: true,
  steps: [{ fail: { code: "usage_limit", resets_in: 3600 } }],
};

const SITUATIONS: Situation[] = [
  {
    name: "an empty project",
    typed: [],
    looked: ["ccw-loop list", "ccw-loop show zz", "ccw-loop frobnicate", "ccw-loop token list"],
    printed: {
      'ccw-loop run --auto "TASK"': [4, /^Waits for input: No test command was found/m],
      "ccw-loop token add laptop": [0, /^This is shown once/],
    },
  },
  {
    name: "a loop that nobody drives",
    typed: [START],
    looked: [
      ...["ccw-loop list", "ccw-loop show a", "ccw-loop timeline a", "ccw-loop delete a --yes"],
      "ccw-loop tasks edit a t-9 --description y",
    ],
    printed: {
      "ccw-loop pause a": [0, /^Loop a is paused\./],
      "ccw-loop resume a": PROVEN,
      "ccw-loop run --loop-id a": PROVEN,
      "ccw-loop supervise": ["goes on", / a COMPLETE done/],
      "ccw-loop tasks list a": [0, /no tasks yet/],
      "ccw-loop watch a": ["goes on", /^Nobody has driven loop a since /m],
    },
  },
  {
    name: "a paused loop",
    typed: [START, "ccw-loop pause a"],
    looked: ["ccw-loop show a"],
    printed: { "ccw-loop resume a": PROVEN },
  },
  {
    name: "a stopped loop",
    typed: [START, "ccw-loop stop a"],
    looked: ["ccw-loop show a", "ccw-loop run --loop-id a"],
    printed: { "ccw-loop resume a --reopen": PROVEN },
  },
  {
    name: "a proven loop",
    typed: [`${RUN} --verify "node check.mjs"`],
    looked: [
      ...["ccw-loop show a", "ccw-loop resume a", "ccw-loop pause a", "ccw-loop rewind a 99"],
      ...["ccw-loop verify a.json", "ccw-loop tasks add a 'one more'"],
    ],
    printed: {
      "ccw-loop tasks add a - && ccw-loop resume a --reopen": PROVEN,
      "ccw-loop resume a --reopen": PROVEN,
    },
  },
  {
    name: "a loop at its bound",
    typed: [`${RUN} --verify "node check.mjs" --max-iterations 1`],
    looked: ["ccw-loop show a"],
    printed: { "ccw-loop resume a --reopen --max-iterations 11": PROVEN },
  },
  {
    name: "a loop that waits for a usage limit",
    turns: [OUT_OF_QUOTA, write("42")],
    typed: [`${RUN} --no-wait --verify "node check.mjs"`],
    looked: ["ccw-loop show a", "ccw-loop why a", "ccw-loop resume a --no-run"],
    printed: {
      "ccw-loop resume a": ["goes on", /^\S+ Waits for usage limit until /m],
      "ccw-loop resume a --now": PROVEN,
    },
  },
  {
    name: "a server",
    typed: [],
    beside: "ccw-loop serve --port 0",
    looked: [],
    printed: { "ccw-loop list --url http://127.0.0.1:PORT": [0, /^No loops here yet/m] },
  },
  {
    name: "a loop without tests",
    typed: [RUN],
    looked: ["ccw-loop show a", "ccw-loop answer a 'no-such program'", "ccw-loop answer a"],
    printed: {
      "ccw-loop answer --help": [0, /^Usage: ccw-loop answer /],
      "ccw-loop answer a -": GOES_ON,
      "ccw-loop answer a --waive-tests -": GOES_ON,
      "ccw-loop run --loop-id a": [4, /^Waits for input: No test command was found/m],
    },
  },
  {
    name: "a loop that waits at its menu",
    typed: [`${START} --interactive`, "ccw-loop supervise"],
    looked: ["ccw-loop show a", "ccw-loop answer a dance"],
    printed: {
      "ccw-loop answer a debug": GOES_ON,
      "ccw-loop answer a develop": GOES_ON,
      "ccw-loop answer a validate": GOES_ON,
      "ccw-loop run --loop-id a": [2, /needs a terminal to ask in\. Use --auto/],
    },
  },
  {
    name: "a loop in a worktree",
    typed: [`${RUN} --worktree --verify "node check.mjs"`],
    looked: [],
    printed: {
      "ccw-loop clean": [0, /^1 of 1 removed: /m],
      "git merge ccw-loop/a": [0, /^ answer \| 2 \+-$/m],
    },
  },
  {
    name: "a loop with objections",
    typed: [`printf 42 > answer; ${RUN} --verify "node check.mjs"`],
    looked: ["ccw-loop show a"],
    printed: {
      "ccw-loop answer a accept": GOES_ON,
      "ccw-loop answer a reject": GOES_ON,
      "ccw-loop run --loop-id a": [4, /^Waits for approval: /m],
    },
  },
  {
    name: "a damaged loop",
    typed: [START, "rm -r .workflow/.loop/a.history", "echo '{' > .workflow/.loop/a.json"],
    looked: ["ccw-loop list", "ccw-loop show a", "ccw-loop recover a"],
    printed: {
      "ccw-loop recover a": [0, /^Nothing was changed\./m],
      "ccw-loop recover a --yes": [0, /^Loop a is recovered\./m],
    },
  },
];

/** Commands in a text, each as one copies it: to the end of its line, of its sentence, or of its parenthesis. */
function commandsIn(text: string): string[] {
  const found = text.matchAll(
    /(?<=^|: |\(|, or | {2}|with )(?<!Usage: )(?:ccw-loop|git merge) [^\n]*?(?=$|\)|, or |\. [A-Z])/gm,
  );
  return [...new Set([...found].map(([command]) => command))].sort();
}

interface Ran {
  exit: number | null | "goes on";
  text: string;
}

test.for(SITUATIONS)(
  "what is printed about $name runs as it is printed",
  { tags: ["slow"], timeout: 180_000 },
  async ({ beside, typed, looked, printed, turns = [{ ...write("42"), repeat: true }] }) => {
    await using here = await project(plan, ...turns);
    await commitAll(here);
    const { type, run } = await shellIn();
    for (const line of typed.slice(0, -1)) await run(here.dir, line);
    await using other = beside === undefined ? null : type(here.dir, beside);
    await vi.waitFor(() => expect(other?.text() ?? "List").toContain("List"), PATIENCE);
    let text = other?.text() ?? "";
    for (const line of [...typed.slice(-1), ...looked]) {
      const until = line === "ccw-loop supervise" ? /Waits for input/ : undefined;
      text += (await run(here.dir, line, until)).text;
    }
    const came: Record<string, unknown> = {};
    const kept = `${here.dir}.worktrees/kept`;
    await cp(here.dir, kept, { recursive: true });
    for (const command of commandsIn(text)) {
      const [exit, words] = expectedOf(command, printed);
      const ran = await run(here.dir, command, exit === "goes on" ? words : undefined);
      came[withoutPort(command)] = [ran.exit, words.test(ran.text) ? words : ran.text];
      await rm(here.dir, { recursive: true });
      await cp(kept, here.dir, { recursive: true });
    }
    const expected = Object.keys({ ...came, ...printed }).map((command) => [
      command,
      expectedOf(command, printed),
    ]);
    expect(came).toEqual(Object.fromEntries(expected));
  },
);

function expectedOf(command: string, printed: Situation["printed"]): Expected {
  const help: Expected = [0, /^Usage: ccw-loop /];
  return (
    printed[withoutPort(command)] ?? LOOKS[command] ?? (command.endsWith(" --help") ? help : UNSAID)
  );
}

const withoutPort = (text: string) => text.replace(/(127\.0\.0\.1):\d+/, "$1:PORT");

/** A command that was typed; disposed, it is ended by Ctrl-C. */
interface Typed extends AsyncDisposable {
  ended: Promise<number | null>;
  text(): string;
}

const PATIENCE = { timeout: 60_000, interval: 20 };

/** A shell whose `ccw-loop` is the built one, with an empty home and a text on its input. */
async function shellIn() {
  const home = emptyFolder();
  await mkdir(join(home, "bin"));
  await symlink(BIN, join(home, "bin/ccw-loop"));
  const path = [join(home, "bin"), dirname(process.execPath), process.env.PATH].join(delimiter);
  const env = { HOME: home, PATH: path, CCW_LOOP_AGENT: "scripted:agent.json", LANG: "C.UTF-8" };
  const type = (cwd: string, line: string): Typed => {
    const child = spawn("sh", ["-c", line], { cwd, env, detached: true });
    // A program that ends without reading it closes the pipe.
    child.stdin.on("error", () => undefined).end("node check.mjs\n");
    let text = "";
    for (const output of [child.stdout, child.stderr]) {
      output.on("data", (data: Buffer) => {
        text += data;
      });
    }
    const ended = once(child, "close").then(([code]) => code as number | null);
    return {
      ended,
      text: () => text,
      async [Symbol.asyncDispose]() {
        if (child.exitCode === null) process.kill(-(child.pid ?? 0), "SIGINT");
        await ended;
      },
    };
  };
  /** To its end; one that goes on, until it prints these words or a minute has passed. */
  const run = async (cwd: string, line: string, until?: RegExp): Promise<Ran> => {
    await using one = type(cwd, line);
    if (until === undefined) return { exit: await one.ended, text: one.text() };
    await vi.waitFor(() => expect(one.text()).toMatch(until), PATIENCE).catch(() => undefined);
    return { exit: "goes on", text: one.text() };
  };
  return { type, run };
}
