import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { AgentScriptInput } from "@ccw-loop/testkit";
import { expect, onTestFinished, vi } from "vitest";
import { BIN, environmentOf, type Serving, startServe, tokenFileIn } from "./serve.ts";

export const PATIENCE = { timeout: 40_000, interval: 50 };

const SUM = "export const sum = (a, b) => a - b;\nexport const half = (a) => a / 2;\n";

const FILES = {
  "package.json": JSON.stringify({
    type: "module",
    private: true,
    scripts: { test: "node --test" },
  }),
  "src/sum.js": SUM,
  "test/sum.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { half, sum } from "../src/sum.js";

test("adds two numbers", () => assert.equal(sum(1, 2), 3));
test("halves a number", () => assert.equal(half(4), 2));
`,
};

type Turns = AgentScriptInput["turns"];

export const PLANS: Turns[number] = {
  action: "INIT",
  repeat: true,
  when: "# ACTION: INIT",
  steps: [{ say: "One test is red." }],
  answer: {
    message: "One thing is wrong.",
    state_updates: { tasks: [{ description: "Add, and do not subtract" }] },
  },
};

/** Plans one task; the agent does it once somebody has steered it. */
export const TURNS: Turns = [
  PLANS,
  {
    action: "DEVELOP",
    repeat: true,
    when: "# ACTION: DEVELOP",
    steps: [
      { say: Array.from({ length: 80 }, (_, n) => `I have read file ${n}.`).join("\n") },
      { say: "Which operator is meant?" },
      { expect_steer: "plus" },
      { say: "Plus it is." },
      { write: { path: "src/sum.js", content: SUM.replace("a - b", "a + b") } },
    ],
    answer: { message: "It adds.", state_updates: { summary: "It adds." } },
  },
];

interface ServedProject {
  turns: Turns;
  files: Readonly<Record<string, string>>;
}

/** `ccw-loop serve` as a process of its own, in a project with a red test and a scripted agent unless others are given. */
export class Served {
  readonly dir = realpathSync(mkdtempSync(join(tmpdir(), "ccw-web-")));
  readonly agent = `scripted:${join(this.dir, "..", `${this.dir.split("/").at(-1)}.agent.json`)}`;
  url = "";
  #serving: Serving | undefined;

  constructor({ turns = TURNS, files = FILES }: Partial<ServedProject> = {}) {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.dir, path)), { recursive: true });
      writeFileSync(join(this.dir, path), text);
    }
    const script = this.agent.slice("scripted:".length);
    writeFileSync(script, JSON.stringify({ turns }));
    const git = (...args: string[]) => execFileSync("git", args, { cwd: this.dir });
    git("init", "--quiet");
    git("add", "--all");
    git("-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "--quiet", "-m", "begin");
    onTestFinished(async () => {
      await this.kill();
      for (const path of [this.dir, script, `${this.dir}.home`, `${this.dir}.worktrees`])
        rmSync(path, { recursive: true, force: true, maxRetries: 10 });
    });
  }

  get #home(): string {
    return `${this.dir}.home`;
  }

  get tokenFile(): string {
    return tokenFileIn(this.#home);
  }

  get token(): string {
    return this.#serving?.token ?? "";
  }

  /** Starts it, where it was before if it was. */
  async start(...more: string[]): Promise<this> {
    const port = this.url === "" ? "0" : new URL(this.url).port;
    this.#serving = await startServe(this.dir, this.#home, "--port", port, ...more);
    this.url = this.#serving.url;
    return this;
  }

  async kill(): Promise<void> {
    await this.#serving?.end();
  }

  /** Runs another command of `ccw-loop` in the project; what it printed. */
  run(...args: string[]): string {
    return execFileSync(process.execPath, [BIN, ...args], {
      cwd: this.dir,
      env: environmentOf(this.#home),
      encoding: "utf8",
    });
  }

  /** The `data` of the answer to a request with the token. */
  async ask(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const headers = { authorization: `Bearer ${this.token}`, "content-type": "application/json" };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await fetch(this.url + path, init);
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    return ((await answer.json()) as { data: Record<string, unknown> }).data;
  }

  /** A link that logs one browser in. */
  async loginLink(path = "", query = ""): Promise<string> {
    const { login } = await this.ask("POST", `/api/logins${query}`);
    return `${this.url}/${path}#login=${login}`;
  }

  /** Starts a loop, up to its menu behind INIT. */
  async startAtMenu(id: string): Promise<void> {
    await this.ask("POST", `/api/loops/v2/${id}/start`);
    await this.#untilMenu(id);
  }

  #untilMenu(id: string): Promise<void> {
    const waiting = async () => (await this.ask("GET", `/api/loops/v2/${id}`)).waiting;
    return vi.waitFor(async () => expect(await waiting()).toBeDefined(), PATIENCE);
  }

  /** Drives a loop to its proof, as its operator would. */
  async prove(id: string): Promise<void> {
    const path = `/api/loops/v2/${id}`;
    const send = (command: object) => this.ask("POST", `${path}/commands`, command);
    const untilMenu = () => this.#untilMenu(id);
    await this.startAtMenu(id);
    await send({ type: "choose", action: "DEVELOP" });
    await vi.waitFor(() => this.ask("POST", `${path}/steer`, { text: "plus" }), PATIENCE);
    await untilMenu();
    await send({ type: "choose", action: "VALIDATE" });
    await untilMenu();
    await send({ type: "choose", action: "COMPLETE" });
    const proven = { status: "completed" };
    await vi.waitFor(
      async () => expect(await this.ask("GET", path)).toMatchObject(proven),
      PATIENCE,
    );
  }

  /** Makes a loop that plans one task and then waits at its menu. */
  async loop(id: string, title: string): Promise<void> {
    const settings = { agent: this.agent, mode: "interactive" };
    await this.ask("POST", "/api/loops/v2", { id, title, settings });
  }
}
