import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { parseDocument } from "yaml";
import { z } from "zod";
import { Case, type Kind, type Play, Project } from "./case.ts";

const here = join(import.meta.dirname, "..");
const FOLDERS: Record<Kind, string> = { liar: "cases/liars", honest: "cases/honest" };

/** Every case, liars first, each kind by name. Throws with the file's name when one cannot be used. */
export function allPlays(): Play[] {
  const projects = new Map<string, Project>();
  const projectOf = (name: string): Project => {
    const known = projects.get(name) ?? read(join(here, "projects", name, "project.yaml"), Project);
    projects.set(name, known);
    return known;
  };
  return (Object.keys(FOLDERS) as Kind[]).flatMap((kind) =>
    globSync(`${FOLDERS[kind]}/*.yaml`, { cwd: here })
      .sort()
      .map((file): Play => {
        const found = read(join(here, file), Case);
        const files = join(here, "projects", found.project, "files");
        const project = projectOf(found.project);
        return { name: basename(file, ".yaml"), kind, case: found, project, files };
      }),
  );
}

function read<T>(file: string, schema: z.ZodType<T>): T {
  const name = relative(here, file);
  if (!existsSync(file)) throw new Error(`bench/liars/${name} is not there.`);
  const document = parseDocument(readFileSync(file, "utf8"));
  const parsed = schema.safeParse(document.toJS());
  if (parsed.success && document.errors.length === 0) return parsed.data;
  const why = document.errors[0]?.message ?? z.prettifyError(parsed.error ?? new z.ZodError([]));
  throw new Error(`bench/liars/${name} cannot be used:\n${why}`);
}
