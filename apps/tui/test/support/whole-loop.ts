import { hangs, plans, repairsWhenTold, TASK } from "./sum-project.ts";
import type { Terminal } from "./terminal.ts";

/** What the agent does in it. */
export const WHOLE_LOOP = [plans, hangs, repairsWhenTold] as const;

/**
 * From an empty list to a proven loop, by keys alone: it is made by the form, watched, paused, resumed, steered,
 * chosen for at its menu, approved, and its receipt is looked at. `meanwhile` happens while the agent waits for a
 * word. The terminal shows home before and behind it.
 */
export async function wholeLoop(
  { press, type, shows }: Terminal,
  meanwhile: () => Promise<void> = async () => undefined,
): Promise<void> {
  await shows("No loops here yet.");
  await press("n");
  await shows("What the agent is to do.");
  await type(TASK);
  await press("Tab");
  await type("The sum");
  await press("Tab", "C-u");
  await type("scripted:agent.json");
  await shows(/Agent +scripted:agent\.json/);
  await press("C-s");
  await shows("What next?");
  await press("1");
  await shows("I am thinking about it");
  await press("p");
  await shows(/^The sum +paused/m);
  await press("p");
  await shows("I wait for a word");
  await meanwhile();
  await press("i");
  await shows("Tell the agent");
  await type("Use a plus");
  await press("Enter");
  await shows((screen) => screen.includes("What next?") && /✔ DEVELOP/.test(screen));
  await press("3");
  await shows((screen) => screen.includes("What next?") && /✔ VALIDATE/.test(screen));
  await press("5");
  await shows("Does it count as done?");
  await press("Down", "Enter");
  await shows(/^The sum +completed/m);
  await press("v");
  await shows("an objection was accepted");
  await press("Escape");
  await shows(/^The sum +completed/m);
  await press("Escape");
  await shows("CCW Loop 1 loop");
}
