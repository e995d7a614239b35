import type { AgentScriptInput } from "./script-schema.ts";

/** INIT with one task, also for whoever asks for more, and DEVELOP that does it. */
export const ONE_TASK: AgentScriptInput["turns"] = [
  {
    action: "INIT",
    when: "# ACTION: INIT",
    repeat: true,
    answer: { state_updates: { tasks: [{ description: "add the flag" }] } },
  },
  {
    action: "DEVELOP",
    when: "# ACTION: DEVELOP",
    repeat: true,
    steps: [{ write: { path: "flag.js", content: "1" } }],
    answer: { message: "done", state_updates: { summary: "wrote flag.js" } },
  },
];
