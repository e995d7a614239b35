import { DURATION_FORMS } from "@ccw-loop/view";
import type { PromptState } from "./state.ts";

interface Words {
  title: string;
  /** What to type. */
  hint: string;
  /** Said until the answer comes. */
  waiting: string;
}

export const PURPOSES: Readonly<Record<PromptState["purpose"]["name"], Words>> = {
  "add-task": {
    title: "Add a task",
    hint: "What is to be done. It comes behind the tasks there are.",
    waiting: "Adding it…",
  },
  "edit-task": { title: "Edit a task", hint: "What is to be done.", waiting: "Changing it…" },
  "import-tasks": {
    title: "Import the tasks of an issue",
    hint: "The id of an issue in .workflow/issues, such as ISS-1.",
    waiting: "Importing them…",
  },
  "generate-tasks": {
    title: "Ask the agent which tasks are missing",
    hint: "How many at most; nothing lets the agent decide. It costs a turn of the agent.",
    waiting: "The agent thinks. esc leaves it alone; the tasks come all the same.",
  },
  "edit-limit": {
    title: "Change a limit",
    hint: `iterations 20, time 6h (${DURATION_FORMS}), turns 300, tokens 30000000 or cost 2.50.`,
    waiting: "Changing it…",
  },
};
