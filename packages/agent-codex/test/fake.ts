import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentSession, OpenOptions, TurnEvent, TurnResult } from "@ccw-loop/core";
import { tempRepo } from "@ccw-loop/testkit";
import { type CodexLimits, type CodexOptions, codexAgent } from "../src/index.ts";

export interface Fake extends AsyncDisposable {
  options: CodexOptions;
  events: TurnEvent[];
  cwd: string;
  open(options?: Partial<OpenOptions>): Promise<AgentSession>;
  run(session: AgentSession, signal?: AbortSignal): Promise<TurnResult>;
  /** The methods and answers that the program was sent, in order. */
  sent(): Promise<{ method?: string; params?: Record<string, unknown> }[]>;
}

/** An agent on a program that only speaks like Codex. */
export async function fake(
  scenario: string,
  limits: Partial<CodexLimits> = {},
  version = "codex-cli 0.169.0",
) {
  const repo = await tempRepo();
  const folder = await mkdtemp(join(tmpdir(), "ccw-fake-"));
  const binary = join(folder, "codex");
  const program = join(import.meta.dirname, "fixtures/fake-codex.ts");
  const script = `#!/bin/sh
if [ "$1" = --version ]; then echo "${version}"; exit; fi
exec "${process.execPath}" "${program}" "$@"
`;
  await writeFile(binary, script);
  await chmod(binary, 0o755);
  const log = join(folder, "requests.jsonl");
  const told = { FAKE_CODEX: scenario, FAKE_LOG: log };
  const options: CodexOptions = {
    binary,
    env: { PATH: process.env.PATH, HOME: folder, ...told },
    passEnv: Object.keys(told),
    limits: { backoffMs: 1, backoffMaxMs: 1, ...limits },
  };
  const events: TurnEvent[] = [];
  const onEvent = (event: TurnEvent) => events.push(event);
  const sessions: AgentSession[] = [];
  const made: Fake = {
    ...{ options, events, cwd: repo.path },
    async open(more = {}) {
      const wanted = { cwd: repo.path, instructions: "Be brief.", onEvent, ...more };
      const session = await codexAgent(options).open(wanted);
      sessions.push(session);
      return session;
    },
    run: (session, signal = new AbortController().signal) =>
      session.run("Do it.", { signal, onEvent }),
    async sent() {
      const lines = (await readFile(log, "utf8")).trim().split("\n");
      return lines.map((line) => JSON.parse(line));
    },
    async [Symbol.asyncDispose]() {
      for (const session of sessions) await session.close();
      await Promise.all([repo.remove(), rm(folder, { recursive: true, force: true })]);
    },
  };
  return made;
}
