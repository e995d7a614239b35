import { LoopError, type LoopState, LoopStatus, toLoopError } from "@ccw-loop/core";
import { painter, sanitizeText } from "@ccw-loop/view";
import { type CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { newLoopOf, settingsFor } from "../config/flags.ts";
import { outcomeData, outcomeText } from "../output/outcome.ts";
import { loopTable } from "../output/tables.ts";
import { version } from "../own-package.ts";
import type { SettingFlags } from "../program/options.ts";
import { type Context, requireModules } from "../runtime/context.ts";
import { listen } from "../runtime/interrupts.ts";
import { wholeLoopId } from "../runtime/loop-names.ts";
import { markDriving } from "../runtime/operator-origin.ts";
import type { Answer } from "../runtime/perform.ts";
import { isResting, mayEnd } from "./watch.ts";

/** A client gives up on a call after a minute. */
const LONGEST_WAIT_SECONDS = 50;

const INSTRUCTIONS = `CCW Loop has a coding agent work on this project until the project's own tests prove the work.
Start work with run_loop, then call show_loop with wait_seconds until the loop has ended or waits. Only a loop with status
"completed" is proven. A loop that waits asks a person: tell them its question and the command that answers it.`;

/**
 * Serves the loops over the Model Context Protocol, on standard input and output, until the client leaves or a signal comes.
 * What it starts is driven here, within the limits of the command's own flags and settings, and is paused at the end. No tool
 * answers a loop's question: those are for a person.
 */
export async function mcp(context: Context, flags: SettingFlags): Promise<Answer> {
  const { io, root, remote, parts } = context;
  if (context.json) {
    const message = "mcp speaks its protocol on standard output and has no JSON document.";
    throw new LoopError("invalid_input", message);
  }
  // Wrong settings, and an agent that is none, are said before anything is served.
  await settingsFor(context, flags);
  await requireModules(context);
  if (remote === null) await (await parts.processes()).sweep();
  using interrupts = listen(io, { ignore: "SIGPIPE" });
  using _mark = remote === null ? markDriving(root) : undefined;
  const left = new AbortController();
  const drives = new Drives(context, AbortSignal.any([interrupts.signal, left.signal]));
  const transport = new StdioServerTransport(io.stdin, io.stdout);
  const gone = new Promise<void>((resolve) => {
    io.stdin.once("end", resolve).once("close", resolve);
    interrupts.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const served = serveStdio(() => loopServer(context, flags, drives), {
    transport,
    onerror: (error) => context.say(`ccw-loop: ${sanitizeText(error.message)}`),
  });
  await gone;
  left.abort("the MCP client left");
  const ending = await interrupts.untilSecond(drives.ended());
  await served.close();
  return { exit: interrupts.exit(0), ...ending };
}

/** The loops that are driven here, each at most once at a time. */
class Drives {
  readonly #context: Context;
  readonly #signal: AbortSignal;
  readonly #running = new Map<string, Promise<void>>();

  constructor(context: Context, signal: AbortSignal) {
    this.#context = context;
    this.#signal = signal;
  }

  begin(id: string): void {
    if (this.#running.has(id)) return;
    this.#running.set(
      id,
      this.#drive(id).finally(() => this.#running.delete(id)),
    );
  }

  /** Once this loop, or every one, is driven here no more. */
  async ended(id?: string): Promise<void> {
    await (id === undefined ? Promise.all(this.#running.values()) : this.#running.get(id));
  }

  /** A loop that cannot be driven is paused, so that its state says why; one that somebody else drives goes on. */
  async #drive(id: string): Promise<void> {
    const loops = await this.#context.parts.loops();
    try {
      await loops.run(id, { signal: this.#signal });
    } catch (error) {
      const { code, message } = toLoopError(error);
      this.#context.say(`ccw-loop: Loop ${id}: ${sanitizeText(message)}`);
      if (code === "loop_busy") return;
      await loops.send(id, { type: "pause", reason: message }).catch(() => undefined);
    }
  }
}

const LoopName = z
  .string()
  .min(1)
  .describe("Id of the loop, a beginning of it that no other has, or @last for the newest.");

function loopServer(context: Context, flags: SettingFlags, drives: Drives): McpServer {
  const server = new McpServer(
    { name: "ccw-loop", version: version() },
    { instructions: INSTRUCTIONS },
  );
  const loops = context.parts.loops;
  const whole = (name: string) => wholeLoopId(context, name);

  server.registerTool(
    "run_loop",
    {
      description:
        "Have a coding agent do a task in this project until its tests prove the work. Answers at once; the work goes on.",
      inputSchema: z.object({
        task: z.string().trim().min(1).describe("What is to be done, and how one sees that it is."),
        worktree: z
          .boolean()
          .optional()
          .describe("Work in a git worktree and branch of its own, beside the project."),
      }),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    },
    answering(context, async ({ task, worktree }) => {
      const { values } = await settingsFor(context, flags);
      const flagged = { ...flags, ...(worktree ? { worktree: true as const } : {}) };
      const service = await loops();
      const { loop_id: id } = await service.create(
        newLoopOf(task, { ...values, mode: "auto" }, flagged),
      );
      const state = await service.send(id, { type: "start" });
      drives.begin(id);
      return told(context, state);
    }),
  );

  server.registerTool(
    "list_loops",
    {
      description: "The loops of this project, the newest change first.",
      inputSchema: z.object({
        status: LoopStatus.optional(),
        limit: z.int().min(1).max(100).default(20),
      }),
      annotations: { readOnlyHint: true },
    },
    answering(context, async ({ status, limit }) => {
      const query = { limit, ...(status ? { status } : {}) };
      const page = await (await loops()).list(query);
      return { text: loopTable(page, query, { ...context, paint: painter(false) }) };
    }),
  );

  server.registerTool(
    "show_loop",
    {
      description:
        "How a loop stands: its status, what its tests proved, the files it changed, what it waits for and what to do next.",
      inputSchema: z.object({
        loop: LoopName,
        wait_seconds: z
          .int()
          .min(0)
          .max(LONGEST_WAIT_SECONDS)
          .default(0)
          .describe(
            "Answer as soon as the loop has ended or waits, after so many seconds at most.",
          ),
      }),
      annotations: { readOnlyHint: true },
    },
    answering(context, async ({ loop, wait_seconds }) =>
      told(context, await settled(context, await whole(loop), wait_seconds * 1000)),
    ),
  );

  server.registerTool(
    "change_loop",
    {
      description:
        "pause: end the running action; resume repeats it. resume: go on here. stop: end the loop for good.",
      inputSchema: z.object({
        loop: LoopName,
        change: z.enum(["pause", "resume", "stop"]),
        reason: z.string().trim().min(1).optional().describe("Kept with the loop."),
      }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    },
    answering(context, async ({ loop, change, reason }) => {
      const id = await whole(loop);
      const service = await loops();
      const why = reason === undefined ? {} : { reason };
      const state = await service.send(
        id,
        change === "resume" ? { type: "resume" } : { type: change, ...why },
      );
      if (change === "resume") drives.begin(id);
      else await drives.ended(id);
      return told(context, state);
    }),
  );
  return server;
}

/** The state of a loop once it rests, or after this time. */
async function settled(context: Context, id: string, ms: number): Promise<LoopState> {
  const loops = await context.parts.loops();
  let state = await loops.get(id);
  if (ms === 0 || isResting(state)) return state;
  const signal = AbortSignal.timeout(ms);
  for await (const event of loops.watch(id, { after: state.revision ?? 0, signal })) {
    if (mayEnd(event)) state = await loops.get(id);
    if (isResting(state)) return state;
  }
  return loops.get(id);
}

interface Told {
  text: string;
  data?: Record<string, unknown>;
}

function told(context: Context, state: LoopState): Told {
  const plain = { ...context, paint: painter(false) };
  return { text: outcomeText(state, plain), data: outcomeData(state, context) };
}

/** What a tool answers; a refusal is an answer as well, with its reason. */
function answering<A>(
  { hint }: Context,
  answer: (args: A) => Promise<Told>,
): (args: A) => Promise<CallToolResult> {
  return async (args) => {
    try {
      const { text, data } = await answer(args);
      return {
        content: [{ type: "text", text: sanitizeText(text) }],
        ...(data ? { structuredContent: JSON.parse(JSON.stringify(data)) } : {}),
      };
    } catch (error) {
      const { code, message } = toLoopError(error);
      return { content: [{ type: "text", text: `${code}: ${hint(message)}` }], isError: true };
    }
  };
}
