import { BUBBLEWRAP, type Mutant } from "../mutant.ts";

const sandbox = "packages/agent-acp/test/sandbox.test.ts";

/** What keeps an agent to its project. */
export const mutants: Mutant[] = [
  {
    name: "An agent writes a file into the repository's folder that names programs for git.",
    file: "packages/processes/src/containment/places.ts",
    find: "...[GIT, ...spec.protect].flatMap(",
    replace: "...spec.protect.flatMap(",
    test: {
      file: "packages/processes/test/containment/places.test.ts",
      title: "protects what is there, the repository's own folder too",
    },
  },
  {
    name: "A program of the agent's own, called bwrap, is taken for what contains it.",
    file: "packages/processes/src/containment/bubblewrap.ts",
    find: "if (isThere && !isTheirs(place) && !isTheirs(realPath(place))) return place;",
    replace: "if (isThere) return place;",
    test: {
      file: sandbox,
      title: "is not contained by a bubblewrap that it could have written itself",
      needs: [BUBBLEWRAP],
    },
  },
  {
    name: "An agent that is not contained works on without a word about it.",
    file: "packages/agent-acp/src/acp-agent.ts",
    find: "if (warning !== null) wanted.onEvent?.(",
    replace: "if (warning === '') wanted.onEvent?.(",
    test: { file: sandbox, title: "an agent works without it and warns" },
  },
  {
    name: "Commands of bash tasks run outside of the sandbox of a contained agent.",
    file: "packages/agent-acp/src/session/acp-session.ts",
    find: "if (contained === null) return;",
    replace: "if (contained !== undefined) return;",
    test: {
      file: "packages/cli/test/sandbox.test.ts",
      title: "has bash tasks done as it is contained itself",
      needs: [BUBBLEWRAP],
    },
  },
];
