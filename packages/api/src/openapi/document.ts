import { ErrorAnswer } from "../contract/answers.ts";
import type { AnswerShape, Operation } from "../contract/operation.ts";
import { OPERATIONS } from "../contract/operations.ts";
import { Components, type Json } from "./components.ts";
import { parameters } from "./parameters.ts";

export interface OpenApiDocument extends Json {
  openapi: string;
  paths: Record<string, Record<string, Json>>;
  components: { schemas: Record<string, Json>; [kind: string]: unknown };
}

let made: OpenApiDocument | undefined;

/** The contract as an OpenAPI 3.1 document, for an app that is mounted below `base`. */
export function openApiDocument(base = ""): OpenApiDocument {
  made ??= makeDocument();
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
          content: { "application/json": { schema: error } },
        },
      },
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
  };
}

function describe(operation: Operation, components: Components): Json {
  const { id, topic, summary, description, body, example, open, failures = [] } = operation;
  return {
    operationId: id,
    tags: [topic],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(open ? { security: [] } : {}),
    ...filled("parameters", parameters(operation)),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: !body.safeParse({}).success,
            content: {
              "application/json": {
                schema: components.refer(body, "input"),
                ...(example.body === undefined ? {} : { example: example.body }),
              },
            },
          },
        }),
    responses: {
      ...succeeded(operation, components),
      ...(operation.slow ? { 202: UNDER_WAY } : {}),
      ...(operation.tagged && operation.method === "get"
        ? { 304: { description: "The client has it already, as its If-None-Match says." } }
        : {}),
      ...Object.fromEntries(failures.map((status) => [status, REFUSED])),
      default: REFUSED,
    },
  };
}

function succeeded({ answer, tagged }: Operation, components: Components): Json {
  if ("frames" in answer) {
    const message = components.refer(answer.frames, "output");
    return { 101: { description: "The messages follow.", "x-message": message } };
  }
  return {
    200: {
      description: "Done.",
      ...(tagged ? { headers: { ETag: TEXT_HEADER } } : {}),
      content: content(answer, components),
    },
  };
}

const UNDER_WAY = {
  description: "It is under way, as `Prefer: wait` asked to be told.",
  content: { "application/json": { schema: { $ref: "#/components/schemas/DoneAnswer" } } },
};

const REFUSED = { $ref: "#/components/responses/Error" };

const TEXT_HEADER = { schema: { type: "string" } };

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

function filled(name: string, list: readonly unknown[]): Json {
  return list.length === 0 ? {} : { [name]: list };
}
