import { readFile } from "node:fs/promises";
import { LoopError } from "@ccw-loop/core";
import { z } from "zod";
import type { KeyMap } from "../keys/key-map.ts";
import { problemOfKeys } from "./key-problems.ts";

const Config = z.strictObject({
  keys: z.record(z.string(), z.array(z.string()).min(1)).default({}),
  theme: z.enum(["dark", "light"]).optional(),
});

export interface TuiConfig {
  keys: KeyMap;
  theme: "dark" | "light" | undefined;
}

/** The keys and the theme of the user; a file that does not exist says nothing. Throws `invalid_input`. */
export async function readConfig(path: string): Promise<TuiConfig> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return { keys: {}, theme: undefined };
    throw invalid(`${path} cannot be read: ${messageOf(error)}.`, error);
  }
  return parseConfig(text, path);
}

/** Throws `invalid_input` with the path and what is wrong in it. */
export function parseConfig(text: string, path: string): TuiConfig {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid(`${path} is not valid JSON: ${messageOf(error)}.`, error);
  }
  const { success, data, error } = Config.safeParse(value);
  if (!success) {
    const [issue] = error.issues;
    const place = issue?.path.join(".") ?? "";
    throw invalid(
      `${path}: ${place === "" ? "" : `${place}: `}${issue?.message ?? "invalid"}.`,
      error,
    );
  }
  const problem = problemOfKeys(data.keys);
  if (problem !== undefined) throw invalid(`${path}: ${problem}`);
  return { keys: data.keys, theme: data.theme };
}

function invalid(message: string, cause?: unknown): LoopError {
  return new LoopError("invalid_input", message, { cause });
}

function isMissing(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && ["ENOENT", "ENOTDIR"].includes(String(error.code))
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
