import type { AgentScriptInput } from "@ccw-loop/testkit";

/** INIT plans a task, also for whoever asks for more; DEVELOP writes a file, and can be told something meanwhile. */
export const SCRIPT: AgentScriptInput = {
  turns: [
    {
      action: "INIT",
      when: "# ACTION: INIT",
      repeat: true,
      answer: {
        state_updates: {
          tasks: [{ description: "add the flag" }],
        },
      },
    },
    {
      action: "DEVELOP",
      when: "# ACTION: DEVELOP",
      repeat: true,
      steps: [
        { say: "Writing." },
        { wait: 300 },
        { append: { path: "flag.js", text: "// a line\n" } },
      ],
      answer: { message: "done", state_updates: { summary: "wrote flag.js" } },
    },
  ],
};
