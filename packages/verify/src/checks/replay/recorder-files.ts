import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Checkout } from "@ccw-loop/core";
import type { ReplayLanguage } from "./language.ts";

/** Stands for the path of the room in what is compared between rooms. */
const ROOM = "@ROOM@";

/** Our files beside the room. */
export async function writeRecorder({ top }: Checkout, { recorder, clock }: ReplayLanguage) {
  const folder = join(dirname(top), "recorded");
  await mkdir(folder, { recursive: true });
  const file = join(folder, recorder.name);
  await writeFile(file, recorder.text);
  await writeFile(join(folder, clock.name), clock.text);
  return {
    ...{ folder, recorder: file, clock: join(folder, clock.name) },
    log: join(folder, "calls.jsonl"),
  };
}

/** A text of JSON without the path of the room … */
export function outOfRoom(text: string, { cwd }: Pick<Checkout, "cwd">): string {
  return text.replaceAll(JSON.stringify(cwd).slice(1, -1), ROOM);
}

/** … and with it. */
export function inRoom(text: string, { cwd }: Pick<Checkout, "cwd">): string {
  return text.replaceAll(ROOM, JSON.stringify(cwd).slice(1, -1));
}

/** A text without the names of these programs: what says how it is called says something else in each. */
export function withoutProgram(text: string, programs: readonly string[]): string {
  return programs.reduce((told, path) => told.replaceAll(basename(path), "@PROGRAM@"), text);
}
