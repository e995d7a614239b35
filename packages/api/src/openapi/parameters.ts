import { PROGRESS_FILES } from "@ccw-loop/core";
import type { Operation } from "../contract/operation.ts";
import { type Json, toJson } from "./components.ts";

const NAME = { type: "string", pattern: "^[A-Za-z0-9._-]{1,128}$" };
const KEY = { type: "string", pattern: "^[\\x20-\\x7e]{1,200}$" };
const REPEATED = "The same key again: the same answer, one effect. With another body: 422.";
const PREFER = { type: "string", pattern: "^wait=\\d{1,3}$" };
const WAIT =
  "`wait=SECONDS`, with an Idempotency-Key: not done by then, the answer is 202; whoever asks again with the same key and body waits on.";
const IN_PATH: Readonly<Record<string, Json>> = {
  document: { type: "string", enum: [...PROGRESS_FILES] },
};

/** What a request names in its path, its query and its headers. */
export function parameters(operation: Operation): Json[] {
  const { path, query, example, method, tagged, answer, slow, keyless } = operation;
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: IN_PATH[name] ?? NAME,
    example: example.params?.[name],
  }));
  const schema = query ? toJson(query, "input") : {};
  const required = new Set((schema.required as string[] | undefined) ?? []);
  const inQuery = Object.entries((schema.properties as Record<string, Json>) ?? {}).map(
    ([name, { description, ...rest }]) => ({
      name,
      in: "query",
      required: required.has(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
      ...(example.query?.[name] === undefined ? {} : { example: example.query[name] }),
    }),
  );
  const onLoop = path.startsWith("/api/loops/v2/");
  return [
    ...inPath,
    ...inQuery,
    ...(method === "get" && tagged
      ? [header("If-None-Match", "An ETag that the client has.")]
      : []),
    ...(method !== "get" && onLoop
      ? [header("If-Match", "Only while the loop is in the state with this ETag; else 412.")]
      : []),
    ...(method === "post" && !keyless ? [header("Idempotency-Key", REPEATED, KEY)] : []),
    ...(slow ? [header("Prefer", WAIT, PREFER)] : []),
    ...("events" in answer ? [header("Last-Event-ID", "Go on behind this message.")] : []),
  ];
}

function header(name: string, description: string, schema: Json = { type: "string" }): Json {
  return { name, in: "header", required: false, description, schema };
}
