import { join } from "node:path";
import { DevelopTask, parseTaskLines, tryParseJson } from "@ccw-loop/core";
import type { StoreContext } from "../context.ts";
import { isPlainSource, plainText, type Source } from "./sources.ts";

/** The tasks of all older task lists, each id once, in the order they were found. */
export function legacyTasks({ disk }: StoreContext, source: Source): DevelopTask[] {
  const { taskLines, taskFolder } = source;
  const fromLines = taskLines.flatMap((path) => parseTaskLines(plainText(disk, path) ?? "").tasks);
  const isFolder = taskFolder !== null && isPlainSource(disk, taskFolder, source);
  const files = isFolder ? disk.list(taskFolder).sort() : [];
  const fromFiles = files
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => taskIn(plainText(disk, join(taskFolder ?? "", name)) ?? ""));
  return [...new Map([...fromLines, ...fromFiles].map((task) => [task.id, task])).values()];
}

/** One task file: `id`, `title` and `description`, and fields of its own that are kept. */
function taskIn(text: string): DevelopTask[] {
  const raw: Record<string, unknown> = Object(tryParseJson(text));
  const { title, description } = raw;
  const said = [title, description].filter((part) => typeof part === "string" && part !== "");
  const parsed = DevelopTask.safeParse({ ...raw, description: said.join(": ") });
  return parsed.success && said.length > 0 ? [parsed.data] : [];
}
