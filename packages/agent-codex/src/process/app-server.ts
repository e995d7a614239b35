import { RpcProgram, type RpcRequest, type RpcResponse } from "@ccw-loop/processes/json-rpc";
import { z } from "zod";
import { classifyRefusal, type Failure } from "../failure/failure.ts";
import { type Notification, readNotification } from "../protocol.ts";
import type { ConversationSpec } from "../session/conversation-spec.ts";

export interface AppServerSpec
  extends Pick<ConversationSpec, "binary" | "env" | "cwd" | "family" | "commands" | "limits"> {
  args: readonly string[];
  onNotification: (notification: Notification) => void;
  answer: (request: RpcRequest) => Promise<RpcResponse>;
}

/** The answer to a request of ours, or why there is none. */
export type Reply<T> = { ok: true; result: T } | { ok: false; failure: Failure };

/** One `codex app-server` process. */
export class AppServer {
  readonly #spec: AppServerSpec;
  readonly #program: RpcProgram;
  /** Resolves when the process is gone and everything it said was read; with how it ended. */
  readonly exited: Promise<Failure>;

  constructor(spec: AppServerSpec) {
    const { binary, args, env, cwd, family, commands, onNotification, answer } = spec;
    this.#spec = spec;
    this.#program = new RpcProgram({
      ...{ name: "Codex", tree: family, file: binary, args, env, cwd, answer },
      onNotification: ({ method, params }) => onNotification(readNotification(method, params)),
      onNoise: (problem) => onNotification({ method: "unreadable", original: "a line", problem }),
    });
    if (this.#program.pid !== undefined) commands.startedBy(this.#program.pid);
    this.exited = this.#program.exited.then(crash);
  }

  get alive(): boolean {
    return this.#program.alive;
  }

  /**
   * Never rejects: a refusal, a timeout and the end of the process are replies too. `timeoutMs` is for requests that
   * may take longer than others; `Infinity` waits for ever.
   */
  async request<T>(
    method: string,
    params: unknown,
    shape: z.ZodType<T>,
    timeoutMs = this.#spec.limits.requestMs,
  ): Promise<Reply<T>> {
    const reply = await this.#program.request(method, params, timeoutMs);
    if ("lost" in reply) return { ok: false, failure: crash(reply.lost) };
    if ("error" in reply) return { ok: false, failure: classifyRefusal(method, reply.error) };
    const parsed = shape.safeParse(reply.result);
    if (parsed.success) return { ok: true, result: parsed.data };
    const message = `Codex answered ${method} in a shape that we cannot read: ${z.prettifyError(parsed.error)}`;
    return { ok: false, failure: { kind: "other", message } };
  }

  notify(method: string): void {
    this.#program.notify(method);
  }

  /** Lets the process leave by itself, then TERM, then KILL; nothing of it is alive afterwards. */
  async close(): Promise<void> {
    await this.#program.close(this.#spec.limits.closeMs);
    await this.kill();
  }

  /** Ends the process and every command of it now. */
  async kill(): Promise<void> {
    await Promise.all([this.#program.kill(), this.#spec.commands.end({ graceMs: 0 })]);
  }
}

function crash(message: string): Failure {
  return { kind: "crash", message };
}
