import { join } from "node:path";
import { folderOf, type RealAgent, realAgent } from "./real-agent.ts";
import { RECIPES, type Recipe } from "./recipes.ts";

const named = process.env.CCW_LOOP_TEST_AGENTS?.split(",");
const from = process.env.CCW_LOOP_TEST_AGENTS_IN ?? join(import.meta.dirname, "../..");

/** Whether somebody named the agents that are tested. */
export const isNamed = named !== undefined;

/**
 * The agents that tests are for: Gemini CLI, a development dependency, or those that CCW_LOOP_TEST_AGENTS names, installed
 * below the folder CCW_LOOP_TEST_AGENTS_IN or on PATH.
 */
export function chosenAgents(): readonly Recipe[] {
  return RECIPES.filter(({ name }) => (named ?? ["gemini"]).includes(name));
}

const shared = new Map<Recipe, Promise<RealAgent>>();

/** One home and one model for all tests of a file, until `endHomes`: most agents take long to begin in an empty home. */
export function homeOf(recipe: Recipe): Promise<RealAgent> {
  const folder = folderOf(recipe, from);
  if (folder === null) throw new Error(`${recipe.name} is neither below ${from} nor on PATH.`);
  const made = shared.get(recipe) ?? realAgent(recipe, folder);
  shared.set(recipe, made);
  return made;
}

/** Behind the last test of a file: the next one begins with homes of its own. */
export async function endHomes(): Promise<void> {
  const homes = [...shared.values()];
  shared.clear();
  for (const made of homes) await (await made)[Symbol.asyncDispose]();
}
