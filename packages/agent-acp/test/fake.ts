import { existsSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Agent, AgentSession, OpenOptions, TurnEvent, TurnResult } from "@ccw-loop/core";
import { tempRepo, works } from "@ccw-loop/testkit";
import type { StagedTurn } from "@ccw-loop/testkit/contracts";
import { expect, vi } from "vitest";
import {
  type AcpLimits,
  type AcpOptions,
  acpAgent,
  commandProfile,
  type Profile,
  type Sandbox,
} from "../src/index.ts";

import { type Frame, protocolProblems } from "./protocol.ts";

const FAKE = join(import.meta.dirname, "fixtures/fake-acp.ts");

/** Whether agents can be contained here. */
export const CONTAINS = works(
  "bwrap",
  ...["--unshare-user", "--unshare-pid", "--ro-bind", "/", "/"],
  ...["--dev", "/dev", "--proc", "/proc", "true"],
);
export const CONTAINED: Sandbox = { kind: "workspace", required: true };

/** The profile of the fake with these habits, whose folder is `folder`. */
export function fakeProfile(
  folder: string,
  habits: readonly string[],
  more: Partial<Profile> = {},
): Profile {
  const command = [process.execPath, FAKE, folder, ...habits];
  const spec = { command, mode: "default", homes: [folder] };
  return { ...commandProfile("fake", spec), title: "The fake", ...more };
}

interface FakeOptions extends Pick<AcpOptions, "sandbox" | "hidden" | "env"> {
  habits?: readonly string[];
  profile?: Partial<Profile>;
  limits?: Partial<AcpLimits>;
}

interface Sent {
  method?: string;
  params?: Record<string, unknown>;
  /** The kind of the option that a question was answered with. */
  chosen?: string;
}

export interface Fake extends AsyncDisposable {
  agent: Agent;
  events: TurnEvent[];
  cwd: string;
  open(more?: Partial<OpenOptions>): Promise<AgentSession>;
  /** Stages a turn and runs it. */
  run(session: AgentSession, turn: Partial<StagedTurn>, signal?: AbortSignal): Promise<TurnResult>;
  /** What the program was sent and what it was answered, in order. */
  sent(): Promise<Sent[]>;
}

/** An agent on a program that only speaks the protocol. */
export async function fake({
  habits = [],
  profile,
  sandbox = { kind: "off" },
  ...options
}: FakeOptions = {}): Promise<Fake> {
  const repo = await tempRepo();
  const folder = join(repo.path, ".git", "fake-acp");
  const agent = acpAgent({ profile: fakeProfile(folder, habits, profile), sandbox, ...options });
  const events: TurnEvent[] = [];
  const onEvent = (event: TurnEvent) => events.push(event);
  const sessions: AgentSession[] = [];
  return {
    ...{ agent, events, cwd: repo.path },
    async open(more = {}) {
      const wanted = { cwd: repo.path, instructions: "Be brief.", onEvent, ...more };
      const session = await agent.open(wanted);
      sessions.push(session);
      return session;
    },
    async run(session, turn, signal = new AbortController().signal) {
      const staged = { end: { answer: "Done." }, ...turn };
      await writeFile(join(folder, "stage.json"), JSON.stringify(staged));
      return session.run("Go on.", { signal, onEvent });
    },
    async sent() {
      const log = await readFile(join(folder, "log.jsonl"), "utf8");
      return log.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(sessions.map((session) => session.close()));
      expectProtocol(folder);
      await repo.remove();
    },
  };
}

/** All that went between the fake in this folder and us is as the protocol has it. */
export function expectProtocol(folder: string): void {
  const log = join(folder, "frames.jsonl");
  const lines = existsSync(log) ? readFileSync(log, "utf8").split("\n") : [];
  const frames = lines.flatMap((line): Frame[] => (line === "" ? [] : [JSON.parse(line)]));
  expect(protocolProblems(frames)).toEqual([]);
}

/** The events of one type. */
export function only<T extends TurnEvent["type"]>({ events }: Fake, type: T) {
  return events.filter((event): event is Extract<TurnEvent, { type: T }> => event.type === type);
}

export const warnings = (it: Fake) => only(it, "warning.raised").map(({ message }) => message);
export const untilTrue = (look: () => boolean) =>
  vi.waitFor(() => expect(look()).toBe(true), { timeout: 20_000 });
