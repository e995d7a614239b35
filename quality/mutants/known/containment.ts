import { BUBBLEWRAP, type Mutant } from "../mutant.ts";

const sandbox = "packages/agent-acp/test/sandbox.test.ts";
const PLACES = "packages/processes/test/containment/places.test.ts";

/** What keeps an agent to its project. */
export const mutants: Mutant[] = [
  {
    name: "A contained agent writes the loop's state.",
    file: "packages/processes/src/containment/places.ts",
    find: "...tops.flatMap((top) => [GIT, ...protect].map(",
    replace: "...tops.flatMap((top) => [GIT].map(",
    test: { file: PLACES, title: "protects what is there" },
  },
  {
    name: "What a contained agent may only read is mounted to be written.",
    file: "packages/processes/src/containment/mounts.ts",
    find: 'read: "--ro-bind" }',
    replace: 'read: "--bind" }',
    test: {
      file: sandbox,
      title: "writes to the project, and neither to the loop's state nor to what git runs",
      needs: [BUBBLEWRAP],
    },
  },
  {
    name: "An agent writes a file into the repository's folder that names programs for git.",
    file: "packages/processes/src/containment/places.ts",
    find: "...tops.flatMap((top) => [GIT, ...protect].map(",
    replace: "...tops.flatMap((top) => protect.map(",
    test: {
      file: PLACES,
      title: "protects a git folder that a file names, and the place of each submodule",
    },
  },
  {
    name: "A program of the agent's own, called bwrap, is taken for what contains it.",
    file: "packages/processes/src/containment/bubblewrap.ts",
    find: "ownProgram(PROGRAM, path, [...theirs, ...theirs.map(realPath)])",
    replace: "ownProgram(PROGRAM, path, [])",
    test: {
      file: sandbox,
      title: "is not contained by a bubblewrap that it could have written itself",
      needs: [BUBBLEWRAP],
    },
  },
  {
    name: "An agent closes its project's folder, and is opened without a sandbox the next time.",
    file: "packages/agent-acp/src/launch/sandbox.ts",
    find: "if (problem !== null) throw unavailable(",
    replace:
      "if (problem !== null && !sandbox.required) return open;\n    if (problem !== null) throw unavailable(",
    test: {
      file: sandbox,
      title: "does not get rid of its sandbox by closing the project's folder",
      needs: [BUBBLEWRAP],
    },
  },
  {
    name: "An agent makes a link in the project, and may write to where it leads the next time.",
    file: "packages/processes/src/containment/places.ts",
    find: "if (turned === undefined) return homes;",
    replace: "if (turned !== null) return homes;",
    test: {
      file: PLACES,
      title: "refuses a folder of its own behind a link that it could have made",
    },
  },
  {
    name: "A contained agent cannot unpack itself: of its own folders only those are there that were there before.",
    file: "packages/processes/src/containment/places.ts",
    find: 'for (const home of wanted.filter((one) => one.endsWith("/"))) makeFolder(home);',
    replace: "",
    test: { file: PLACES, title: "makes every folder of the program's own that is said to be one" },
  },
  {
    name: "git is run from the project's own packages, where an agent can put one.",
    file: "packages/processes/src/programs.ts",
    find: "!isTheirs(resolve(place)) && !isTheirs(realPath(place))",
    replace: "place !== ''",
    test: {
      file: "packages/workspace-git/test/not-believed.test.ts",
      title: "for a git that lies in the project, or where packages put their programs",
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
