import type { Verdict } from "./run-seed.ts";

const PROMISES = [
  "done means proven",
  "stop means stop",
  "nothing is lost, nothing runs twice",
  "it never runs away",
  "every screen shows the same loop",
  "the files outlive the tool",
];

/** What a seed violated, and how to see it again. */
export function sayViolations({ seed, violations }: Pick<Verdict, "seed" | "violations">): void {
  for (const { promise, text } of violations) {
    console.log(`seed ${seed}: promise ${promise} (${PROMISES[promise - 1]}): ${text}`);
  }
  if (violations.length > 0)
    console.log(`seed ${seed}: see it with: npm run sim -- --seed ${seed}`);
}
