import type { Objection } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { inspect } from "../src/inspect/inspect.ts";
import { type Case, readCases } from "./inspect/cases.ts";
import { project } from "./project.ts";

async function objectionsTo({ changes, command, others }: Case): Promise<Objection[]> {
  const files = Object.fromEntries(
    changes.flatMap(({ path, after }) => (typeof after === "string" ? [[path, after]] : [])),
  );
  const cwd = await project({ ...others, ...files });
  return inspect(changes, { cwd, command });
}

test.each(readCases("cheats").map((one) => [one.name, one] as const))("%s", async (_, one) => {
  const objections = await objectionsTo(one);
  expect([...new Set(objections.map(({ kind }) => kind))].sort(), show(objections)).toEqual(
    one.kinds,
  );
});

test.each(readCases("honest").map((one) => [one.name, one] as const))("%s", async (_, one) => {
  const objections = await objectionsTo(one);
  expect(objections, show(objections)).toEqual([]);
});

function show(objections: readonly Objection[]): string {
  return objections
    .map(({ kind, path, line, text, message }) => `${kind} ${path}:${line} ${message}\n${text}`)
    .join("\n");
}
