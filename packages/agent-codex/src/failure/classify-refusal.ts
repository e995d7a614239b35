import type { RpcError } from "../protocol/messages.ts";
import type { Failure, FailureKind } from "./failure.ts";

/** Codex gives one code to nearly everything that it refuses, so its words decide. The first that fits. */
const REFUSAL_PATTERNS: readonly [RegExp, FailureKind][] = [
  [/already has an active writer/, "busy"],
  [/no rollout found|thread not found|invalid (?:session|thread) id/i, "no_session"],
  [/is archived/, "archived"],
  [/failed to (?:load|read) config|unknown variant|invalid type|missing field/i, "config"],
];

/** Class of a request that Codex refused. */
export function classifyRefusal(method: string, { message, data }: RpcError): Failure {
  const said = message.split(", expected one of", 1)[0] ?? message;
  return {
    kind: refusalKind(message, data),
    message: `Codex refused ${method}: ${said.replace(/\.$/, "")}`,
  };
}

function refusalKind(message: string, data: unknown): FailureKind {
  if (typeof data === "object" && data !== null && "input_error_code" in data) return "input";
  return REFUSAL_PATTERNS.find(([words]) => words.test(message))?.[1] ?? "other";
}
