import type { Random } from "../src/random.ts";

const NAP = "sleep 3600";

/** What agents and tests start, and how it tries to live on. Each line goes on behind the first one. */
const NESTED: Readonly<Record<string, readonly string[]>> = {
  plain: [`sh -c '${NAP}; true' &`],
  background: [`${NAP} & ${NAP} &`],
  "double-forked": [`(${NAP} &)`, `sh -c 'sh -c "${NAP} & ${NAP}" & exit 0'`],
  setsid: [`setsid ${NAP} &`, `(setsid sh -c '${NAP} & wait' &)`],
  "TERM-ignoring": [
    `sh -c "trap '' TERM HUP INT; ${NAP}; ${NAP}" &`,
    `setsid sh -c "trap '' TERM; ${NAP} & wait; ${NAP}" &`,
  ],
  nohup: [`nohup ${NAP} > /dev/null 2>&1 &`],
  breeding: [`sh -c 'while :; do (setsid sleep 5 &); sleep 0.01; done' &`],
};

/** The kinds of nesting, each alone and all together. */
export const KINDS = [...Object.keys(NESTED), "everything"];

/** A shell script whose descendants all have `mark` in their environments, and that runs until it is ended. */
export function nestedScript(kind: string, mark: string, random: Random): string {
  const lines = kind === "everything" ? Object.values(NESTED).flat() : (NESTED[kind] ?? []);
  const trap = random.below(3) === 0 ? ["trap '' TERM"] : [];
  return [`export ${mark}`, ...trap, ...lines, "echo up", "touch up", "wait", NAP, ""].join("\n");
}
