import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { type Document, type Operation, operationAt } from "./document.ts";
import type { FuzzRequest } from "./requests.ts";
import type { FuzzResponse } from "./send.ts";

/** What is wrong with an answer. */
export interface Objection {
  kind: "5xx" | "undocumented";
  sentence: string;
}

/** What every refusal has to be, also where no operation is. */
const ELSEWHERE: Operation["answers"] = {
  "4XX": { "application/problem+json": { $ref: "#/components/schemas/Error" } },
};

/** A page for people, on the same server but no part of the contract. */
const BESIDE = "/";

/** Says whether an answer is one that the document foretells. */
export function judge(operations: readonly Operation[], conform: Conform) {
  return (asked: FuzzRequest, answer: FuzzResponse): Objection | undefined => {
    const { status } = answer;
    const operation = meantBy(operations, asked);
    const path = pathOf(asked.target);
    if (operation === undefined && status < 400 && path === BESIDE) return undefined;
    const answers = operation?.answers ?? ELSEWHERE;
    const content = answers[status] ?? answers[`${status}`.replace(/..$/, "XX")];
    // `default` speaks of refusals: a server that fails has to say beforehand how it may.
    const foretold = content ?? (status < 500 && status >= 400 ? answers.default : undefined);
    if (foretold === undefined) {
      const kind = status >= 500 ? "5xx" : "undocumented";
      return { kind, sentence: `${named(operation)} answered ${status}: ${start(answer)}` };
    }
    const wrong = asked.method === "HEAD" ? undefined : unfit(answer, foretold, conform);
    if (wrong === undefined) return undefined;
    return {
      kind: "undocumented",
      sentence: `${named(operation)} answered ${status}, but ${wrong}: ${start(answer)}`,
    };
  };
}

function unfit(
  { headers, body, cut }: FuzzResponse,
  content: Readonly<Record<string, object>>,
  conform: Conform,
): string | undefined {
  if (Object.keys(content).length === 0) return body.length === 0 ? undefined : "with a body";
  const type = headers["content-type"]?.split(";")[0] ?? "none";
  const schema: { "x-line"?: object; "x-message"?: object } | undefined = content[type];
  if (schema === undefined) return `as ${type}`;
  const text = body.toString("utf8");
  if (schema["x-line"]) return firstOf(linesOf(text, cut), schema["x-line"], conform);
  if (schema["x-message"]) {
    const told = messagesOf(text).filter(({ data }) => isTold(data));
    return firstOf(
      told.map(({ data }) => data),
      schema["x-message"],
      conform,
    );
  }
  return /^application\/(problem\+)?json$/.test(type) ? conform(text, schema) : undefined;
}

/** Facts and activity; other messages are signs of life, or of the older dashboard. */
function isTold(data: string): boolean {
  return /^\{"kind":"(?:recorded|activity)"/.test(data);
}

function firstOf(texts: readonly string[], schema: object, conform: Conform): string | undefined {
  for (const text of texts) {
    const wrong = conform(text, schema);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** The operation that a request is for, whatever it was made from. */
export function meantBy(
  operations: readonly Operation[],
  { method, target }: FuzzRequest,
): Operation | undefined {
  return operationAt(operations, method === "HEAD" ? "GET" : method, pathOf(target));
}

/** As a server reads it: without `..` and the query. */
function pathOf(target: string): string {
  return URL.parse(target, "http://localhost")?.pathname ?? target;
}

function named(operation: Operation | undefined): string {
  return operation === undefined ? "A path that is not described" : operation.id;
}

function start({ body }: FuzzResponse): string {
  return JSON.stringify(body.toString("utf8").slice(0, 300));
}

/** What is wrong with a JSON text under a schema of the document; undefined when it fits. */
type Conform = (text: string, schema: object) => string | undefined;

export function conformTo({ components }: Document): Conform {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  for (const [name, schema] of Object.entries(components.schemas)) {
    ajv.addSchema({ ...alone(schema), $id: `component:${name}` });
  }
  const compiled = new Map<object, ValidateFunction>();
  return (text, schema) => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return "it is no JSON";
    }
    const validate = compiled.get(schema) ?? ajv.compile(alone(schema));
    compiled.set(schema, validate);
    if (validate(value)) return undefined;
    const { instancePath = "", message = "" } = validate.errors?.at(0) ?? {};
    return `${instancePath || "it"} ${message}`;
  };
}

/** A schema that finds the document's named ones by their own addresses: each is compiled once. */
function alone(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll("#/components/schemas/", "component:"));
}

/** The lines of NDJSON; of a body that was cut, only those that are whole. */
function linesOf(text: string, cut: boolean): string[] {
  const lines = text.split("\n");
  const last = lines.pop();
  return last === "" || last === undefined || cut ? lines : [...lines, last];
}

/** The whole messages of a stream of server-sent events. */
export function messagesOf(text: string): EventSourceMessage[] {
  const messages: EventSourceMessage[] = [];
  createParser({ onEvent: (message) => messages.push(message) }).feed(text);
  return messages;
}
