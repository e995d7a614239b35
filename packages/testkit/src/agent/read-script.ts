import { readFile } from "node:fs/promises";
import { LoopError } from "@ccw-loop/core";
import { parseDocument } from "yaml";
import type { z } from "zod";
import { AgentScript } from "./script-schema.ts";

/** Reads a script file, YAML or JSON. Throws `agent_misconfigured` that names file, turn and field. */
export async function readScript(file: string): Promise<AgentScript> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw misconfigured(file, [cause instanceof Error ? cause.message : String(cause)]);
  });
  const document = parseDocument(text);
  if (document.errors.length > 0)
    throw misconfigured(
      file,
      document.errors.map((e) => e.message),
    );
  return checkScript(document.toJS(), file);
}

/** A script from any value. Throws `agent_misconfigured` that names `source`, turn and field. */
export function checkScript(value: unknown, source: string): AgentScript {
  const parsed = AgentScript.safeParse(value);
  if (parsed.success) return parsed.data;
  throw misconfigured(
    source,
    parsed.error.issues.map((issue) => explain(issue)),
  );
}

function misconfigured(source: string, problems: string[]): LoopError {
  const message = `The agent script ${source} cannot be used: ${problems.join("; ")}. Correct it and try again.`;
  return new LoopError("agent_misconfigured", message, { details: { source, problems } });
}

function explain(issue: z.core.$ZodIssue, above: readonly PropertyKey[] = []): string {
  const path = [...above, ...issue.path];
  if (issue.code === "invalid_union") {
    const nearest = issue.errors.flat().sort((a, b) => b.path.length - a.path.length)[0];
    if (nearest && nearest.path.length > 0) return explain(nearest, path);
  }
  return `${placeOf(path)}: ${issue.message}`;
}

/** `turn 2, step 1, replace.old`: turns and steps are counted from 1, as people do. */
function placeOf(path: readonly PropertyKey[]): string {
  const [first, turn, second, step, ...rest] = path;
  if (first !== "turns" || typeof turn !== "number") return path.join(".") || "the script";
  const place = `turn ${turn + 1}`;
  if (second !== "steps" || typeof step !== "number") {
    const field = path.slice(2).join(".");
    return field ? `${place}, ${field}` : place;
  }
  const field = rest.join(".");
  return `${place}, step ${step + 1}${field ? `, ${field}` : ""}`;
}
