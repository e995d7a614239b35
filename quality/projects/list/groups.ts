import type { Group } from "../src/project.ts";
import { hard } from "./hard.ts";
import { made } from "./made.ts";
import { npm } from "./npm.ts";
import { runners } from "./runners.ts";

export const groups: readonly Group[] = [npm, made, runners, hard];
