import { basename } from "node:path";
import { LoopError } from "@ccw-loop/core";
import { sanitizeLine } from "@ccw-loop/view";
import { userKeyFile } from "../config/settings.ts";
import { compose, type Parts } from "./compose.ts";
import { type Context, folderIn } from "./context.ts";
import { requireOperator } from "./operator-origin.ts";
import { projectRoot } from "./project-root.ts";

/** One of the projects that one process serves. */
export interface ServedRoot {
  /** In URLs: the folder's name, with a number where two have the same. */
  name: string;
  root: string;
  parts: Parts;
}

/** The projects of these folders, each once; the present one when none are named. Throws `invalid_input`. */
export async function openServedProjects(
  context: Context,
  folders: readonly string[],
): Promise<ServedRoot[]> {
  if (folders.length === 0) return [{ ...uniqueName([], context.root), parts: context.parts }];
  const served: ServedRoot[] = [];
  const keyFile = userKeyFile(context.io.env);
  for (const folder of folders) {
    const root = projectRoot(folderIn(context.cwd, folder, "--project"));
    if (served.some((other) => other.root === root)) continue;
    if (served.length > 0) await requireFiles(context);
    await requireOperator(context.io.env, root, context.command);
    const project = uniqueName(served, root);
    const warn = (message: string) =>
      context.say(`ccw-loop: ${sanitizeLine(`${project.name}: ${message}`)}`);
    served.push({ ...project, parts: compose(root, { warn, keyFile, ...context.extensions }) });
  }
  return served;
}

/** A database has the same loops whichever folder one looks from. Throws `invalid_input`. */
async function requireFiles({ parts }: Context): Promise<void> {
  const choice = await parts.storeChoice();
  if (choice === undefined || !("database" in choice)) return;
  const message =
    "Several projects cannot have their loops in one place of a database. Start one server for each, with ?schema=NAME behind the address in --store.";
  throw new LoopError("invalid_input", message);
}

function uniqueName(before: readonly ServedRoot[], root: string): { name: string; root: string } {
  const plain = basename(root)
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 60);
  const base = plain === "" ? "project" : plain;
  const taken = new Set(before.map(({ name }) => name));
  let name = base;
  for (let n = 2; taken.has(name); n++) name = `${base}-${n}`;
  return { name, root };
}
