import { fileURLToPath } from "node:url";
import { type AgentFactory, LoopError } from "@ccw-loop/core";
import type { Processes } from "@ccw-loop/processes";
import { programAgent } from "./program-agent.ts";

const ECHO: readonly string[] = [
  process.execPath,
  fileURLToPath(new URL("echo.ts", import.meta.url)),
];

const factory: AgentFactory<Processes> = {
  describe: "an example: a program does each turn",
  open: ({ options, root, processes }) =>
    programAgent({ program: programIn(options) ?? ECHO, root, processes }),
};
export default factory;

/** `{ program: ["my-model", "--fast"] }`: another program than the one that echoes. */
function programIn(options: unknown): readonly string[] | undefined {
  if (options === undefined) return undefined;
  const { program } = Object(options) as { program?: unknown };
  const words = Array.isArray(program) ? program : [];
  if (words.length > 0 && words.every((word) => typeof word === "string")) return words;
  const message =
    'The options of agent-echo are wrong. Use { "program": ["COMMAND", "ARGUMENT"] }.';
  throw new LoopError("agent_misconfigured", message);
}
