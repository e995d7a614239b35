import { statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { LoopError } from "@ccw-loop/core";
import { sanitizeLine } from "@ccw-loop/view";
import { compose, type Parts } from "./compose.ts";
import type { Context } from "./context.ts";
import { requireOperator } from "./driven.ts";
import { projectRoot } from "./project-root.ts";
import { userKeyFile } from "./settings/layers.ts";

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
  for (const folder of folders) {
    const path = resolve(context.cwd, folder);
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
      throw new LoopError("invalid_input", `${path} is not a folder. Name one with --project.`);
    }
    const root = projectRoot(path);
    if (served.some((other) => other.root === root)) continue;
    await requireOperator(context.io.env, root, context.command);
    const project = uniqueName(served, root);
    const warn = (message: string) =>
      context.say(`ccw-loop: ${sanitizeLine(`${project.name}: ${message}`)}`);
    served.push({
      ...project,
      parts: compose(root, { warn, keyFile: userKeyFile(context.io.env) }),
    });
  }
  return served;
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
