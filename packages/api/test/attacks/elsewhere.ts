import type { Row } from "./row.ts";

/** Attacks that do not come through the network, or that another test carries out in full. */
export const ELSEWHERE: readonly Row[] = [
  {
    attack: "loop_id inside a state file differs from its name",
    elsewhere: [{ file: "store-fs/test/safety.test.ts", test: "keeps its own files" }],
  },
  {
    attack: "symlinked .workflow, loop file, progress folder, log",
    elsewhere: [
      { file: "store-fs/test/safety.test.ts", test: "a log that is a link is not followed" },
      { file: "store-fs/test/safety.test.ts", test: "a progress folder that is made a link" },
    ],
  },
  {
    attack: ".workflow owned by another user, or world-writable",
    elsewhere: [
      { file: "store-fs/test/safety.test.ts", test: "is refused when everybody may write to it" },
    ],
  },
  {
    attack: "agent text that looks like our headings, fences, front matter or ACTION_RESULT",
    elsewhere: [
      { file: "core/test/progress-roundtrip.test.ts", test: "agent text is inert" },
      { file: "core/test/result-format.test.ts", test: "survives any prose around it" },
    ],
  },
  {
    attack: "the repository's own agent configuration, hooks, filters",
    elsewhere: [{ file: "workspace-git/test/hostile.test.ts", test: "runs none of them" }],
  },
  {
    attack: "secrets in the environment of tests and agents",
    elsewhere: [{ file: "agent-codex/test/real/safety.test.ts", test: "commands see no variable" }],
  },
  {
    attack: "SIGTERM, SIGINT twice, terminal closed, parent killed",
    elsewhere: [
      { file: "cli/test/serve.test.ts", test: "SIGTERM" },
      { file: "api/test/node/shutdown.test.ts", test: "who does not end within the grace is cut" },
      { file: "processes/test/guardian.test.ts", test: "dies without anybody's help" },
    ],
  },
];
