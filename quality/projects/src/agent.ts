import { relative } from "node:path";
import type { AgentScript } from "../../../packages/testkit/src/agent/script-schema.ts";
import { checkScript } from "../../../packages/testkit/src/agent/scripted-agent.ts";
import type { Project } from "./project.ts";

export const TASK = "Repair what the failing tests show.";

/** The agent: what it develops first is wrong, and whatever it is asked afterwards it puts right. */
export function agentFor({ edit, folder = ".", name }: Project): AgentScript {
  const path = relative(folder, edit.file);
  const repairs = (old: string, repaired: string) => [{ replace: { path, old, new: repaired } }];
  const asked = (action: string) => ({ action, when: `# ACTION: ${action}` });
  const message = "Done. All tests pass.";
  return checkScript(
    {
      turns: [
        {
          ...asked("INIT"),
          repeat: true,
          answer: { message, state_updates: { tasks: [{ description: TASK }] } },
        },
        {
          ...asked("DEVELOP"),
          steps: repairs(edit.bug, edit.wrong),
          answer: { message, state_updates: { summary: message } },
        },
        {
          ...asked("DEVELOP"),
          repeat: true,
          steps: repairs(edit.wrong, edit.right),
          answer: { message, state_updates: { summary: message } },
        },
        {
          ...asked("DEBUG"),
          repeat: true,
          steps: repairs(edit.wrong, edit.right),
          answer: { message, state_updates: { understanding: message } },
        },
        { action: "DEVELOP", repeat: true, answer: { message } },
      ],
    },
    name,
  );
}
