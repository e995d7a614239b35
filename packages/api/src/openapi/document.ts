import { ERROR_CODES, PROGRESS_FILES } from "@ccw-loop/core";
import { z } from "zod";
import { HTTP_CODES, PROBLEM } from "../app/http-error.ts";
import { type AnswerShape, ErrorAnswer, type Operation } from "../contract/operation.ts";
import { OPERATIONS } from "../contract/operations.ts";

export interface OpenApiDocument extends Json {
  openapi: string;
  paths: Record<string, Record<string, Json>>;
  components: { schemas: Record<string, Json>; [kind: string]: unknown };
}

let made: OpenApiDocument | undefined;

/** The contract as an OpenAPI 3.1 document, for an app that is mounted below `base`. */
export function openApiDocument(base = ""): OpenApiDocument {
  made ??= JSON.parse(
    // Named schemas stand elsewhere in it than zod says.
    JSON.stringify(makeDocument()).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/'),
  ) as OpenApiDocument;
  return base === "" ? made : { ...made, servers: [{ url: base }] };
}

function makeDocument(): OpenApiDocument {
  const components = new Components();
  const error = components.refer(ErrorAnswer, "output");
  const paths: OpenApiDocument["paths"] = {};
  for (const operation of OPERATIONS) {
    const path = operation.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [operation.method]: describe(operation, components) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "CCW Loop",
      version: "2",
      description: "Drives one coding agent per loop until the work is proven done.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    security: [{ token: [] }],
    tags: [...new Set(OPERATIONS.map(({ topic }) => topic))].map((name) => ({ name })),
    paths,
    components: {
      schemas: components.schemas,
      responses: {
        Error: {
          description: "It was refused, or failed.",
          content: { [PROBLEM]: { schema: error } },
        },
      },
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
  };
}

/** What is undefined in it is left out when it is written. */
function describe(operation: Operation, components: Components): Json {
  const { id, topic, summary, description, body, example, open } = operation;
  const named = parameters(operation);
  return {
    operationId: id,
    tags: [topic],
    summary,
    description,
    security: open && [],
    parameters: named.length > 0 ? named : undefined,
    requestBody: body && {
      required: !body.safeParse({}).success,
      content: {
        "application/json": { schema: components.refer(body, "input"), example: example.body },
      },
    },
    responses: {
      ...succeeded(operation, components),
      202: operation.slow && UNDER_WAY,
      304: operation.tagged && operation.method === "get" ? UNCHANGED : undefined,
      ...refusals(operation),
      default: REFUSED,
    },
  };
}

function succeeded({ answer, tagged, creates }: Operation, components: Components): Json {
  if ("frames" in answer) {
    const message = components.refer(answer.frames, "output");
    return { 101: { description: "The messages follow.", "x-message": message } };
  }
  const text = { schema: { type: "string" } };
  return {
    [creates ? 201 : 200]: {
      description: creates ? "Made." : "Done.",
      headers: tagged && { ETag: text, ...(creates && { Location: text }) },
      content: content(answer, components),
    },
  };
}

const UNDER_WAY = {
  description: "It is under way, as `Prefer: wait` asked to be told.",
  content: { "application/json": { schema: { $ref: "#/components/schemas/DoneAnswer" } } },
};

const UNCHANGED = { description: "The client has it already, as its If-None-Match says." };

const CODES = Map.groupBy(
  [
    ...Object.entries(HTTP_CODES).map(([status, code]) => ({ status: Number(status), code })),
    ...Object.entries(ERROR_CODES).map(([code, { http }]) => ({ status: http, code })),
  ],
  ({ status }) => status,
);

/** The errors that an operation can answer with, by their statuses, each with its codes. */
function refusals(operation: Operation): Json {
  const { method, path, query, body, open, failures = [], keyless } = operation;
  const changes = method !== "get";
  const ofLoop = path.includes(":id");
  const statuses = [
    ...(query || changes || path.includes(":") ? [400] : []),
    ...(open ? [] : [401]),
    ...[403, 429],
    ...(path.includes(":") ? [404] : []),
    ...(changes || ofLoop ? [409] : []),
    ...(changes && ofLoop ? [412] : []),
    ...(changes ? [408, 413] : []),
    ...(body ? [415] : []),
    ...(method === "post" && !keyless ? [422] : []),
    ...failures,
  ];
  return Object.fromEntries(
    statuses.map((status) => [status, { ...REFUSED, description: codesOf(status, operation) }]),
  );
}

function codesOf(status: number, { path }: Operation): string {
  const codes = (CODES.get(status) ?? []).map(({ code }) => code);
  const apt = codes.filter((code) => {
    const [, of] = /^(task|issue)_not_found$/.exec(code) ?? [];
    return of === undefined || path.includes(of);
  });
  return [...new Set(apt)].map((code) => `\`${code}\``).join(", ");
}

const REFUSED = { $ref: "#/components/responses/Error" };

function content(answer: Exclude<AnswerShape, { frames: unknown }>, components: Components): Json {
  if ("json" in answer)
    return { "application/json": { schema: components.refer(answer.json, "output") } };
  if ("ndjson" in answer) {
    // A schema of OpenAPI 3.1 describes a whole body: of a body of lines it can only say what each one is.
    const line = components.refer(answer.ndjson, "output");
    return { "application/x-ndjson": { schema: { type: "string", "x-line": line } } };
  }
  if ("events" in answer) {
    const message = components.refer(answer.events, "output");
    return { "text/event-stream": { schema: { type: "string", "x-message": message } } };
  }
  // A text that is JSON is any value to who reads it as such.
  return Object.fromEntries(
    answer.text.map((type) => [
      type,
      { schema: type === "application/json" ? {} : { type: "string" } },
    ]),
  );
}

const NAME = { type: "string", pattern: "^[A-Za-z0-9._-]{1,128}$" };
const KEY = { type: "string", pattern: "^[\\x20-\\x7e]{1,200}$" };
const REPEATED = "The same key again: the same answer, one effect. With another body: 422.";
const PREFER = { type: "string", pattern: "^wait=\\d{1,3}$" };
const WAIT =
  "`wait=SECONDS`, with an Idempotency-Key: not done by then, the answer is 202; whoever asks again with the same key and body waits on.";
const IN_PATH: Readonly<Record<string, Json>> = {
  document: { type: "string", enum: [...PROGRESS_FILES] },
};

function parameters(operation: Operation): Json[] {
  const { path, query, example, method, tagged, answer, slow, keyless } = operation;
  const inPath: Json[] = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => ({
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
      description,
      schema: rest,
      example: example.query?.[name],
    }),
  );
  const changesLoop = method !== "get" && path.startsWith("/api/loops/v2/");
  const headers = [
    method === "get" && tagged && header("If-None-Match", "An ETag that the client has."),
    changesLoop &&
      header("If-Match", "Only while the loop is in the state with this ETag; else 412."),
    method === "post" && !keyless && header("Idempotency-Key", REPEATED, KEY),
    slow && header("Prefer", WAIT, PREFER),
    "events" in answer && header("Last-Event-ID", "Go on behind this message."),
  ];
  return [...inPath, ...inQuery, ...headers.filter((one) => typeof one === "object")];
}

function header(name: string, description: string, schema: Json = { type: "string" }): Json {
  return { name, in: "header", required: false, description, schema };
}

export type Json = Record<string, unknown>;

/** `output`: what an answer holds; `input`: what a request may hold, where fields with a default may be missing. */
type Direction = "input" | "output";

/** The named schemas of a document, collected while others refer to them. */
export class Components {
  readonly schemas: Record<string, Json> = {};

  /**
   * A schema for use in the document: what has a name by `meta({ id })` stands once, under that name. Throws
   * TypeError when two schemas have the same name.
   */
  refer(schema: z.ZodType, direction: Direction): Json {
    const { $defs, ...own } = toJson(schema, direction);
    for (const [name, made] of Object.entries(($defs as Record<string, Json>) ?? {})) {
      const before = this.schemas[name];
      if (before !== undefined && JSON.stringify(before) !== JSON.stringify(made)) {
        throw new TypeError(`Two different schemas of the contract are called ${name}.`);
      }
      this.schemas[name] = made;
    }
    return own;
  }
}

export function toJson(schema: z.ZodType, direction: Direction): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: direction,
    unrepresentable: "any",
  }) as Json;
  return json;
}
