import {
  type Agent,
  type AgentSession,
  errorText,
  LoopError,
  TokenUsage,
  TurnEvent,
  type TurnOptions,
} from "@ccw-loop/core";
import { z } from "zod";

const Check = z.looseObject({
  ok: z.boolean(),
  version: z.string().nullable(),
  problems: z.array(z.custom<LoopError>((one) => one instanceof Error, "no error")),
  notes: z.array(z.string()),
  login_tried: z.boolean().exactOptional(),
});
const Session = z.custom<AgentSession>(
  (one) =>
    typeof one === "object" &&
    one !== null &&
    ["run", "steer", "close"].every((name) => typeof (one as never)[name] === "function"),
  "it has no run, steer and close",
);
const Result = z.looseObject({ text: z.string(), usage: TokenUsage.nullable() });

/**
 * The agent of a module, whose answers are looked at: what is none is an `agent_misconfigured` that names the module, and
 * what it throws besides LoopErrors an `agent_failed`. Events that are none are left out.
 */
export function checkedAgent(agent: Agent, file: string): Agent {
  const answered = async <T>(what: string, schema: z.ZodType<T>, ask: () => Promise<unknown>) => {
    const answer = await asked(ask);
    const parsed = schema.safeParse(answer);
    if (parsed.success) return answer as T;
    const [issue] = parsed.error.issues;
    const at = issue === undefined ? "" : ` (${[...issue.path, issue.message].join(": ")})`;
    throw new LoopError(
      "agent_misconfigured",
      `The agent module ${file} answers ${what} with something else than the port says${at}. Correct it and try again.`,
      { details: { module: file } },
    );
  };
  const asked = async (ask: () => Promise<unknown>, signal?: AbortSignal): Promise<unknown> => {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof LoopError || signal?.aborted) throw error;
      const message = `The agent module ${file} failed: ${errorText(error)}`;
      throw new LoopError("agent_failed", message, { cause: error, details: { module: file } });
    }
  };
  const checkedSession = (session: AgentSession): AgentSession =>
    replacing(session, {
      run: (prompt: string, { onEvent, ...options }: TurnOptions) => {
        const heard = (event: TurnEvent) => {
          if (TurnEvent.safeParse(event).success) onEvent?.(event);
        };
        const turn = () => session.run(prompt, { ...options, onEvent: heard });
        return answered("a turn", Result, () => asked(turn, options.signal));
      },
    });
  return replacing(agent, {
    check: (cwd) => answered("check", Check, () => agent.check(cwd)),
    open: async (options) =>
      checkedSession(
        await answered("open", Session, () => asked(() => agent.open(options), options.signal)),
      ),
  });
}

/** The same object with other methods. */
function replacing<T extends object>(one: T, methods: Partial<T>): T {
  return new Proxy(one, {
    get(target, key) {
      if (Object.hasOwn(methods, key)) return methods[key as keyof T];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
