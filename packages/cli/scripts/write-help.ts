/**
 * Writes src/help-text.ts: the help of the whole program as text, so that `--help` needs no argument parser.
 * Run it after a change to the commands; a test says when it is due:  node packages/cli/scripts/write-help.ts
 */
import { writeFile } from "node:fs/promises";
import { fullHelp } from "./full-help.ts";

const text = fullHelp().replaceAll("\\", "\\\\").replaceAll("`", "\\`").replaceAll("${", "\\${");
const source = `/** The help of the whole program, 80 columns wide. Made by scripts/write-help.ts: do not edit. */
export const HELP = \`${text}\`;
`;
await writeFile(new URL("../src/help-text.ts", import.meta.url), source);
