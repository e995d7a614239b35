import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Activity, type LiveEvent, RecordedEvent } from "@ccw-loop/core";
import {
  type AgentScriptInput,
  cartModel,
  offlineCodexHome,
  startModelServer,
  tempRepo,
} from "@ccw-loop/testkit";

const REPOSITORY = fileURLToPath(new URL("../../../../", import.meta.url));
const BIN = join(REPOSITORY, "packages/cli/bin/ccw-loop.js");
const DEMO = join(REPOSITORY, "packages/cli/demo");

/** Where a loop is recorded: the demo's shopping cart in a repository of its own. */
export interface Studio extends AsyncDisposable {
  dir: string;
  /** What a process in it needs in its environment. */
  env: Record<string, string>;
  /** Sets the script of the agent: `--agent scripted:agent.json`; without turns that of the demo. */
  script(turns?: AgentScriptInput["turns"]): Promise<void>;
  /** Runs `ccw-loop ARGS` to its end. Throws for another exit code than `code`. */
  cli(code: number, ...args: string[]): Promise<void>;
  /** Starts `ccw-loop ARGS`, and sends it a signal once it printed `until`. */
  interrupted(until: string, ...args: string[]): Promise<void>;
  /** What the loop left behind, one LiveEvent per line. */
  recording(id: string): Promise<string>;
}

/** `at`: where the repository is, a folder that does not exist yet; anywhere unless given. */
export async function studio({ at }: { at?: string } = {}): Promise<Studio> {
  const repo = await tempRepo();
  await cp(join(DEMO, "cart"), repo.path, { recursive: true });
  await repo.git("add", "--all");
  await repo.git("commit", "--quiet", "--message=The cart");
  const dir = at ?? repo.path;
  if (at !== undefined) await rename(repo.path, at);
  const model = await startModelServer({ script: cartModel() });
  const home = await offlineCodexHome(model.baseUrl);
  const scripts = await realpath(await mkdtemp(join(tmpdir(), "ccw-record-")));
  const agent = join(scripts, "agent.json");
  const env = { ...process.env, ...home.env, NO_COLOR: "1", XDG_CONFIG_HOME: home.path };
  const start = (args: string[]) => {
    const own = args.map((word) => word.replace("agent.json", agent));
    return spawn(process.execPath, [BIN, ...own], { cwd: dir, env, stdio: PIPES });
  };
  return {
    dir,
    env: { ...home.env },
    async script(turns) {
      const text = turns
        ? JSON.stringify({ turns })
        : await readFile(join(DEMO, "agent.yaml"), "utf8");
      await writeFile(agent, text);
    },
    async cli(code, ...args) {
      const child = start(args);
      const printed = printedBy(child);
      const [ended] = await once(child, "close");
      if (ended !== code) throw new Error(`${args.join(" ")} ended with ${ended}: ${printed()}`);
    },
    async interrupted(until, ...args) {
      const child = start(args);
      let sent = false;
      const printed = printedBy(child, (text) => {
        // A second signal would not wait for the pause.
        if (!sent && text.includes(until)) sent = child.kill("SIGINT");
      });
      const [ended] = await once(child, "close");
      if (ended !== 130) throw new Error(`${args.join(" ")} ended with ${ended}: ${printed()}`);
    },
    async recording(id) {
      const events = await eventsOf(join(dir, ".workflow", ".loop"), id);
      const neutral = neutralizer({
        [scripts]: "/agent",
        [dir]: "/project",
        [join(home.path, "..")]: "/home/codex",
        [REPOSITORY]: "/opt/ccw-loop/",
        [process.execPath]: "/usr/bin/node",
        [hostname()]: "machine",
      });
      return events.map((event) => `${neutral(JSON.stringify(event))}\n`).join("");
    },
    async [Symbol.asyncDispose]() {
      await model.close();
      await home.remove();
      for (const folder of [scripts, dir, `${dir}.worktrees`]) {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

const PIPES: ["ignore", "pipe", "pipe"] = ["ignore", "pipe", "pipe"];

function printedBy(child: ChildProcess, look?: (text: string) => void): () => string {
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (data: Buffer) => {
      printed += data.toString();
      look?.(printed);
    });
  }
  return () => printed;
}

/** Facts and activity by their times; what happened at the same time was recorded before it was done. */
async function eventsOf(folder: string, id: string): Promise<LiveEvent[]> {
  const lines = async (file: string) => {
    const text = await readFile(join(folder, file), "utf8");
    return text
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
  };
  const facts = (await lines(`${id}.journal.jsonl`)).map((line) => RecordedEvent.parse(line));
  const doings = await lines(join(`${id}.progress`, "agent.log"));
  return [
    ...facts.map((recorded): Timed => [recorded.event.at, { kind: "recorded", id, recorded }]),
    ...doings.map((line): Timed => {
      const activity = line as Activity;
      return [activity.at, { kind: "activity", id, activity }];
    }),
  ]
    .sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
    .map(([, event]) => event);
}

type Timed = [at: string, event: LiveEvent];

/** Longer names first, because one may be a part of another; numbers of processes become 1. */
function neutralizer(names: Record<string, string>): (text: string) => string {
  const pairs = Object.entries(names).sort(([one], [other]) => other.length - one.length);
  return (text) =>
    pairs
      .reduce((all, [name, neutral]) => all.replaceAll(name, neutral), text)
      .replaceAll(/cli:machine:\d+/g, "cli:machine:1");
}
