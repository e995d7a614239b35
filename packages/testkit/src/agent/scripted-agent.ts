import { randomUUID } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  type Agent,
  type AgentCheck,
  errorText,
  LoopError,
  type OpenOptions,
  type TurnEvent,
  toLoopError,
} from "@ccw-loop/core";
import { type Processes, processes } from "@ccw-loop/processes";
import { parseDocument } from "yaml";
import type { z } from "zod";
import { AgentScript, type AgentScriptInput } from "./script-schema.ts";
import { scriptedSession } from "./scripted-session.ts";
import { copyOf, type SessionRecord, sessionFiles } from "./session-file.ts";

export interface ScriptedAgentOptions {
  /** The script itself, or `file`: its path (YAML or JSON), read again for every turn. */
  script?: AgentScriptInput;
  file?: string;
  /** Folder of the conversations; `<cwd>/.workflow/scripted-agent` unless given. */
  home?: string;
  /** Factor for every wait of the script: 1 as written, 0 without waiting. */
  pace?: number;
  /** Where what it starts is registered; nowhere unless given. */
  processes?: Processes;
  /** Tells the time from which `resets_in` counts. */
  now?: () => Date;
}

/**
 * An agent that does what a script says: real edits and real commands, no model. The same contract as any
 * other agent, so whole loops can be tried, shown and broken on purpose. A turn is used up as soon as its
 * final message is said or its scripted failure happened; one that was interrupted is played again from its
 * beginning. Throws `agent_misconfigured` for a script that cannot be used.
 */
export function scriptedAgent({
  pace = 1,
  now = () => new Date(),
  processes: registry = processes(),
  ...options
}: ScriptedAgentOptions): Agent {
  const { file, home } = options;
  const source = file ?? "(given as a value)";
  const given = file === undefined ? checkScript(options.script, source) : undefined;
  const script = async (): Promise<AgentScript> => given ?? (await readScript(source));

  return {
    driver: "scripted",

    async check(cwd): Promise<AgentCheck> {
      try {
        await requireFolder(cwd);
        const { turns } = await script();
        const notes = [`The agent script ${source} has ${turns.length} turns; no model is asked.`];
        return { ok: true, version: null, problems: [], notes };
      } catch (error) {
        return { ok: false, version: null, problems: [toLoopError(error)], notes: [] };
      }
    },

    async open({ cwd, scope, sessionId, forkOf, signal, onEvent }) {
      signal?.throwIfAborted();
      await requireFolder(cwd);
      await script();
      const files = sessionFiles(home ?? join(cwd, ".workflow", "scripted-agent"));
      // What an earlier process of the conversation left running ends first.
      if (sessionId) await registry.sweep();
      const family = () => registry.processTree(scope);
      const known = sessionId ? await files.find(sessionId) : null;
      const original = !known && forkOf ? await files.find(forkOf.session_id) : null;
      const copied = original && forkOf && copyOf(original, forkOf.turn_id, randomUUID());
      const record = known ?? copied ?? newRecord();
      signal?.throwIfAborted();
      const session = scriptedSession({ cwd, family, record, files, script, source, pace, now });
      if (!known) await files.save(record);
      if (!known && !copied && forkOf) onEvent?.(cannotCopy(forkOf));
      const type = known ? "session.resumed" : "session.started";
      onEvent?.({ type, session_id: record.session_id });
      return session;
    },
  };
}

type ForkPoint = NonNullable<OpenOptions["forkOf"]>;

function newRecord(): SessionRecord {
  return { session_id: randomUUID(), used: [], heard: [], turns: [] };
}

function cannotCopy({ session_id, turn_id }: ForkPoint): TurnEvent {
  const upTo = turn_id === null ? "" : ` up to turn ${turn_id}`;
  const message = `The conversation ${session_id} cannot be copied${upTo}, so a new one begins without its history.`;
  return { type: "warning.raised", message };
}

async function requireFolder(cwd: string): Promise<void> {
  const found = await stat(cwd).catch(() => undefined);
  if (found?.isDirectory()) return;
  throw new LoopError(
    "agent_unavailable",
    `The folder ${cwd} does not exist. Name the project's folder.`,
  );
}

/** Reads a script file, YAML or JSON. Throws `agent_misconfigured` that names file, turn and field. */
export async function readScript(file: string): Promise<AgentScript> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw misconfigured(file, [errorText(cause)]);
  });
  const document = parseDocument(text);
  if (document.errors.length > 0)
    throw misconfigured(
      file,
      document.errors.map((e) => e.message),
    );
  return checkScript(document.toJS(), file);
}

/** A script from any value. Throws `agent_misconfigured` that names `source`, turn and field. */
export function checkScript(value: unknown, source: string): AgentScript {
  const parsed = AgentScript.safeParse(value);
  if (parsed.success) return parsed.data;
  throw misconfigured(
    source,
    parsed.error.issues.map((issue) => explain(issue)),
  );
}

function misconfigured(source: string, problems: string[]): LoopError {
  const message = `The agent script ${source} cannot be used: ${problems.join("; ")}. Correct it and try again.`;
  return new LoopError("agent_misconfigured", message, { details: { source, problems } });
}

function explain(issue: z.core.$ZodIssue, above: readonly PropertyKey[] = []): string {
  const path = [...above, ...issue.path];
  if (issue.code === "invalid_union") {
    const nearest = issue.errors.flat().sort((a, b) => b.path.length - a.path.length)[0];
    if (nearest && nearest.path.length > 0) return explain(nearest, path);
  }
  return `${placeOf(path)}: ${issue.message}`;
}

/** `turn 2, step 1, replace.old`: turns and steps are counted from 1, as people do. */
function placeOf(path: readonly PropertyKey[]): string {
  const [first, turn, second, step, ...rest] = path;
  if (first !== "turns" || typeof turn !== "number") return path.join(".") || "the script";
  const place = `turn ${turn + 1}`;
  if (second !== "steps" || typeof step !== "number") {
    const field = path.slice(2).join(".");
    return field ? `${place}, ${field}` : place;
  }
  const field = rest.join(".");
  return `${place}, step ${step + 1}${field ? `, ${field}` : ""}`;
}
