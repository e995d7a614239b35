import type { AgentScriptInput } from "@ccw-loop/testkit";

type Turn = AgentScriptInput["turns"][number];

/** A turn of a scripted agent for every prompt of an action, however often it is asked. */
export function turnFor(action: string, answer: Turn["answer"], steps: Turn["steps"] = []): Turn {
  return { action, when: `# ACTION: ${action}`, repeat: true, steps, answer };
}

/**
 * An agent that plans one task and makes its next edit by a command, in DEVELOP as in DEBUG: there it sees the cause at once. With
 * each turn it says `says`.
 */
export function editingScript(task: string, command: string, says: string): AgentScriptInput {
  const steps = [{ run: command }];
  const answer = { message: says, state_updates: { summary: says } };
  const debugged = { message: says, state_updates: { understanding: says } };
  return {
    turns: [
      { action: "INIT", answer: { state_updates: { tasks: [{ description: task }] } } },
      turnFor("DEVELOP", answer, steps),
      { action: "DEBUG", when: "# ACTION: DEBUG PROBES", repeat: true, answer: debugged },
      turnFor("DEBUG", debugged, steps),
      { action: "DEVELOP", repeat: true, answer },
    ],
  };
}
