import type { AgentScriptInput } from "@ccw-loop/testkit";

type Turn = AgentScriptInput["turns"][number];

/** A turn of a scripted agent for every prompt of an action, however often it is asked. */
export function turnFor(action: string, answer: Turn["answer"], steps: Turn["steps"] = []): Turn {
  return { action, when: `# ACTION: ${action}`, repeat: true, steps, answer };
}
