import { base } from "../parts/server.ts";

/** What is read of the OpenAPI document. */
interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: string;
  schema?: { enum?: string[] };
  example?: string;
}

interface Content {
  [type: string]: { example?: unknown };
}

interface Described {
  operationId: string;
  tags: [string];
  summary: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { description?: string; content?: Content }>;
}

/** One operation of the API, as it is tried. */
export interface Operation {
  id: string;
  topic: string;
  method: string;
  path: string;
  summary: string;
  description: string | undefined;
  parameters: Parameter[];
  /** An example of its body; undefined where it takes none. */
  body: string | undefined;
  /** Every status that it answers with, and what that says. */
  answers: [status: string, text: string][];
  /** It answers with what does not end. */
  isStream: boolean;
}

/** Every operation of the server that sent this page. */
export async function readOperations(): Promise<Operation[]> {
  const answer = await fetch(new URL("api/openapi.json", base));
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, Described>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => operationOf(method, path, described)),
  );
}

function operationOf(method: string, path: string, described: Described): Operation {
  const { operationId, tags, summary, description, parameters = [], requestBody } = described;
  const answers = Object.entries(described.responses);
  const example = requestBody?.content["application/json"]?.example;
  const types = answers.flatMap(([, { content = {} }]) => Object.keys(content));
  return {
    id: operationId,
    topic: tags[0],
    method: method.toUpperCase(),
    path,
    summary,
    description,
    parameters,
    body: requestBody && JSON.stringify(example ?? {}, null, 2),
    answers: answers.map(([status, of]) => [status, of.description ?? "refused, or failed"]),
    isStream: types.includes("text/event-stream") || "101" in described.responses,
  };
}

/** The address of a request with these values of its parameters, below the app's own place. */
export function addressOf(
  { path, parameters }: Operation,
  values: ReadonlyMap<string, string>,
): URL {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values.get(name) ?? ""),
  );
  const url = new URL(filled.slice(1), base);
  for (const { name, in: place } of parameters) {
    const value = values.get(name) ?? "";
    if (place === "query" && value !== "") url.searchParams.set(name, value);
  }
  return url;
}
