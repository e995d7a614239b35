/** Agents that can be given the skill, with the folder in which each looks for skills of a project. */
export const SKILL_FOLDERS = {
  codex: ".agents/skills",
  claude: ".claude/skills",
} as const satisfies Record<string, string>;
export type SkillAgent = keyof typeof SKILL_FOLDERS;

/** The skill that has an agent start and follow loops by the command line. `ccw` is how that is typed in the project. */
export function skillText(ccw: string): string {
  return `---
name: ccw-loop
description: Start, continue and follow a CCW Loop, which has a coding agent work until the project's own tests prove the work. Use it when the user types /ccw-loop or $ccw-loop, or asks for work to be done in a loop or proven.
argument-hint: TASK="what is to be done" [--auto] [--loop-id=ID]
---

# CCW Loop

The loop does the work, in another agent's session; you start it, follow it and tell the user how it stands. Do not edit the
project while it runs. Only status \`completed\` means that the work is proven.

Arguments: \`TASK="…"\` (what is to be done), \`--auto\` (the rules choose every action), \`--loop-id=ID\` (go on with a loop).
Without a TASK and an id ask the user for the task. Give a task as it was said, on standard input, never inside of a shell word:

\`\`\`sh
${ccw} run --auto --json - <<'TASK'
what is to be done
TASK
\`\`\`

| arguments | command |
|---|---|
| \`--auto TASK="…"\` | \`${ccw} run --auto --json -\`, as above |
| \`--auto --loop-id=ID\` | \`${ccw} run --auto --json --loop-id ID\` |
| \`TASK="…"\` | \`${ccw} start --interactive --json -\`, then the steps below |
| \`--loop-id=ID\` | \`${ccw} resume ID --no-run --json\`, then the steps below |

A run takes minutes to hours. Start it in the background where you can, and look with \`${ccw} show ID --json\`.

## Without --auto: a person chooses every action

1. Start \`${ccw} supervise\` in the background. It drives the loop.
2. \`${ccw} show ID\` says what the loop asks. Show the user its question and the choices: develop, debug, validate, complete, exit.
3. Give the user's choice with \`${ccw} answer ID CHOICE\`, and go on with 2 until the loop has ended.

## How it ends

The exit code of a run is the verdict: 0 completed and proven, 1 failed, 3 a limit was reached, 4 a person is needed, 5 the agent or
the environment does not work (\`${ccw} doctor\` says what), 75 a usage limit. \`${ccw} show ID --receipt\` is the proof.

A question of the loop, above all an objection to the proof, is the user's to answer: tell it word for word and wait. Never answer
\`accept\`, never add \`--waive-tests\`, \`--known-red\` or \`--allow-test-changes\`, unless the user says so in this conversation.
\`${ccw} pause ID\` and \`${ccw} stop ID\` end the running action.
`;
}
