/**
 * Real agents against a model that does what a script says: the contract suite, contained and not, the main job, and what each
 * agent does by itself. Run: `npm run try:agents [-- NAME…]`, with `--from FOLDER` (where they are installed), `--quick` (without the
 * contract suite and the job), `--write` (docs/agents.md), `--json`.
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { chosenBy, exitOnSignals } from "../support/command.ts";
import { Page } from "../support/report-page.ts";
import { alone } from "./src/alone.ts";
import { folderOf, realAgent } from "./src/real-agent.ts";
import { RECIPES, type Recipe } from "./src/recipes.ts";
import { type AllSeen, readSeen, type Seen, writeSeen } from "./src/seen.ts";
import { suiteOf } from "./src/suite.ts";
import { tables } from "./src/table.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    from: { type: "string" },
    quick: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
exitOnSignals();
const { quick } = values;
const from = values.from && resolve(values.from);
const recipes = chosenBy(RECIPES, positionals);
let isRight = true;
const tried: AllSeen = {};

async function tryOut(recipe: Recipe, folder: string): Promise<Seen> {
  await using real = await realAgent(recipe, folder);
  const date = new Date().toISOString().slice(0, 10);
  return { date, alone: await alone(recipe, real), suite: await suiteOf(recipe, { from, quick }) };
}

for (const recipe of recipes) {
  const folder = folderOf(recipe, from);
  if (folder === null) {
    console.error(`NOT HERE   ${recipe.name}: install it, and name the folder with --from`);
    continue;
  }
  const seen = await tryOut(recipe, folder).catch((error: Error) => error);
  if (seen instanceof Error) {
    console.error(`NOT OK  ${recipe.name}: ${seen.message}`);
    isRight = false;
    continue;
  }
  tried[recipe.name] = seen;
  const failed = Object.values(seen.suite).flatMap((of) => of?.failed ?? []);
  if (failed.length > 0) isRight = false;
  console.error(`${failed.length === 0 ? "ok" : "NOT OK"}  ${recipe.name} ${seen.alone.version}`);
  for (const title of failed) console.error(`        ${title}`);
  if (values.write) {
    // At once: what an interrupted run has seen stays.
    const all = { ...readSeen(), [recipe.name]: seen };
    writeSeen(all);
    new Page("agents.md").write(tables(all));
  }
}
console.log(values.json ? JSON.stringify(tried, null, 2) : tables(tried));
console.log(`tried: ${Object.keys(tried).length} of ${recipes.length} agents`);
process.exitCode = isRight ? 0 : 1;
