import { PROFILES } from "@ccw-loop/agent-acp";
import { cell, columns } from "../../support/report-page.ts";
import { RECIPES, type Recipe } from "./recipes.ts";
import type { AllSeen, Seen } from "./seen.ts";
import type { Score } from "./suite.ts";

/** What a column says of an agent; null is shown as –. */
type Say = (seen: Seen, recipe: Recipe) => string | null;

interface Column {
  head: string;
  say: Say;
  /** What the loop does where there is a –. */
  instead?: string;
}

const yes = (is: unknown) => (is ? "yes" : null);
const can =
  (name: keyof Seen["alone"]["capabilities"]): Say =>
  ({ alone }) =>
    yes(alone.capabilities[name]);
const profile = ({ name }: Recipe) => PROFILES[name];

function score(of: Score | null): string | null {
  if (of === null) return NOT_RUN;
  const all = of.passed + of.failed.length;
  return of.failed.length === 0 ? `all ${all}` : `${of.passed} of ${all}`;
}

const NOT_RUN = "not tried";
const wasRun = ({ suite: { contained, open } }: Seen) => contained !== null || open !== null;

/** What the recipe says, where the contract suite has found it right. */
function asProven(say: Say): Say {
  return (seen, recipe) => (wasRun(seen) ? say(seen, recipe) : NOT_RUN);
}

/** What the agent leaves, and what is left of it behind us: nothing, where the suite's tests of that passed. */
function behind(left: string, seen: Seen, title: RegExp): string {
  const { contained, open } = seen.suite;
  if (!wasRun(seen)) return left;
  const isLeft = [contained, open].some((of) => of?.failed.some((one) => title.test(one)));
  return `${left} → ${isLeft ? "**see below**" : "0"}`;
}

const GROUPS: readonly { title: string; columns: readonly Column[] }[] = [
  {
    title: "Whether it can be used",
    columns: [
      { head: "contract suite, contained", say: ({ suite }) => score(suite.contained) },
      { head: "not contained", say: ({ suite }) => score(suite.open) },
      {
        head: "contained it is kept from state, git, key and answers",
        say: ({ suite }) =>
          suite.kept === null ? null : suite.kept.failed.length === 0 ? "yes" : "**no**",
      },
      { head: "main job", say: ({ suite }) => score(suite.job) },
      { head: "own sandbox", say: (_, recipe) => yes(profile(recipe).ownSandbox) },
      { head: "s to an open session", say: ({ alone }) => (alone.startMs / 1000).toFixed(1) },
      { head: "processes", say: ({ alone }) => `${alone.processes}` },
      { head: "MB", say: ({ alone }) => `${alone.megabytes}` },
    ],
  },
  {
    title: "Turns",
    columns: [
      {
        head: "asks before an edit / a command",
        say: ({ alone: { asks } }) => `${yes(asks.edit) ?? "–"} / ${yes(asks.command) ?? "–"}`,
        instead:
          "The sandbox keeps it in the project; without one nothing but its own does, which `ccw-loop doctor` says.",
      },
      {
        head: "refused, the turn",
        say: ({ alone }) => alone.refused,
        instead:
          "Nothing is asked, so nothing is refused; what leaves the project fails in the sandbox.",
      },
      {
        head: "output is told",
        say: asProven((_, { traits }) =>
          traits.tellsOutput === "never" ? null : traits.tellsOutput,
        ),
        instead:
          "The log has the command alone; tests and probes are run by the loop itself, with their output.",
      },
      {
        head: "exit code",
        say: asProven((_, { traits }) => yes(traits.tellsExitCode)),
        instead: "It is told as unknown, and never as 0.",
      },
      {
        head: "can be steered",
        say: asProven((_, { traits }) => yes(traits.steers)),
        instead: "What is said meanwhile begins the next prompt.",
      },
      {
        head: "tokens",
        say: asProven((_, recipe) => (recipe.traits.reportsUsage ? profile(recipe).usage : null)),
        instead: "Bounds of tokens do not hold for it; those of turns and of time do.",
      },
      {
        head: "instructions as system prompt",
        say: can("takesInstructions"),
        instead:
          "They begin the first prompt, and are told again when the conversation was made shorter.",
      },
      { head: "side requests per turn", say: ({ alone }) => `${alone.asides}` },
      { head: "ms per turn besides the model's", say: ({ alone }) => `${alone.overheadMs}` },
    ],
  },
  {
    title: "Ends",
    columns: [
      { head: "cancelled within ms", say: ({ alone }) => `${alone.cancelMs}` },
      {
        head: "left by a cancelled command (4 kinds) → behind us",
        say: (seen) => behind(seen.alone.left.join(", "), seen, /before run rejects/),
      },
      {
        head: "left by `kill -9` of the agent → behind us",
        say: (seen) => behind(`${seen.alone.leftByDeath}`, seen, /agent_died/),
      },
      {
        head: "leaves when its input ends",
        say: ({ alone }) => yes(alone.leavesAtEndOfInput),
        instead: "It is ended two seconds later, with all that it started.",
      },
      {
        head: "continues a session",
        say: ({ alone: { capabilities }, suite }, { losesFirstMinute }) => {
          if (!capabilities.resumes && !capabilities.loads) return null;
          const fails = [suite.contained, suite.open].some((of) =>
            of?.failed.some((one) => /another instance|agent_died/.test(one)),
          );
          return fails
            ? "**not as promised**"
            : losesFirstMinute
              ? "from the next minute on"
              : "yes";
        },
        instead: "A new session begins, with a warning.",
      },
      {
        head: "copies a session",
        say: can("forks"),
        instead:
          "The copy begins without its history, with a warning; in ACP no agent copies up to a turn.",
      },
    ],
  },
  {
    title: "Failures of its service",
    columns: [
      {
        head: "told at once",
        say: asProven((_, { traits }) => traits.failures.map((code) => `\`${code}\``).join(", ")),
      },
      {
        head: "too many requests: says nothing for",
        say: ({ alone }) =>
          alone.silentMs === null ? null : `over ${Math.floor(alone.silentMs / 1000)} s`,
        instead:
          "It tells the failure, and the loop waits as it says. One that says nothing is ended after ten minutes of silence.",
      },
    ],
  },
];

/** The tables of all agents that were seen, each line with the day on which it was. */
export function tables(all: AllSeen): string {
  const parts = GROUPS.map(({ title, columns: chosen }) => {
    const lines = RECIPES.flatMap((recipe) => {
      const seen = all[recipe.name];
      if (seen === undefined) return [];
      const named = [`${profile(recipe).title} ${seen.alone.version ?? ""}`.trim(), seen.date];
      const said = chosen.map(({ say }) => cell(say(seen, recipe) ?? "–", 90));
      return [[...named, ...said]];
    });
    const heads = ["agent", "tried", ...chosen.map(({ head }) => head)];
    const notes = chosen.flatMap(({ head, instead }) =>
      instead ? [`- *${head}* –: ${instead}`] : [],
    );
    return [`### ${title}`, "", columns(heads, lines), "", ...notes, ""].join("\n");
  });
  return `${[...parts, failures(all)].join("\n").trim()}\n`;
}

/** What of the contract and of the job did not hold, by agent. */
function failures(all: AllSeen): string {
  const lines = RECIPES.flatMap(({ name }) => {
    const { contained, open, job } = all[name]?.suite ?? {};
    const of = (where: string, result: Score | null | undefined) =>
      (result?.failed ?? []).map((title) => `- ${PROFILES[name].title}, ${where}: ${title}`);
    return [...of("contained", contained), ...of("not contained", open), ...of("main job", job)];
  });
  return lines.length === 0 ? "" : ["### Tests that failed", "", ...lines, ""].join("\n");
}
