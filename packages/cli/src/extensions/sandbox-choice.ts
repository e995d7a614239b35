import type { Sandbox } from "@ccw-loop/agent-acp";
import { LoopError } from "@ccw-loop/core";
import { plainWords } from "@ccw-loop/processes/agent-policy";
import { atBase } from "./acp-agents.ts";

/** What an operator says of the sandbox, where they say it, and from where paths in it are counted. */
export interface SaidSandbox {
  text: string;
  /** `--sandbox`, as sentences name it. */
  name: string;
  /** As settings tell where they come from: `flag`, `env NAME`, or the path of a file. */
  origin: string;
  base: string;
}

/** The variable that says it for every command of a terminal. */
export const SANDBOX_VARIABLE = "CCW_LOOP_SANDBOX";
export const SANDBOX_FORM =
  "off, workspace, or container:COMMAND, as in container:docker exec -i NAME";

const CONTAINER = "container:";

/** What an agent gets of whom nobody says anything, for people. */
export const UNSAID = "workspace, where that works";

/** Whoever asks for `workspace` gets it or is refused; unasked, an agent works without it where it is not to be had. Throws `invalid_input`. */
export function sandboxIn({ text, name, base }: SaidSandbox): Sandbox {
  if (text === "off") return { kind: "off" };
  if (text === "workspace") return { kind: "workspace", required: true };
  const words = text.startsWith(CONTAINER) ? plainWords(text.slice(CONTAINER.length)) : null;
  if (words !== null && words.length > 0) {
    return { kind: "container", command: atBase(words, base) };
  }
  const message = `${name} cannot be ${JSON.stringify(text)}: use ${SANDBOX_FORM}.`;
  throw new LoopError("invalid_input", message, { details: { key: "sandbox" } });
}
