/** A JSON Schema as the document has it. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  schema: Schema;
}

interface Described {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: { "application/json": { schema: Schema; example?: unknown } } };
  responses: Record<string, Response | { $ref: string }>;
}

interface Response {
  content?: Record<string, { schema: Schema }>;
}

/** What is read of an OpenAPI document. */
export interface Document {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Response> };
}

/** One operation as a stranger reads it from the document. */
export interface Operation {
  id: string;
  /** In capitals. */
  method: string;
  /** With `{name}` for a part that is filled in. */
  path: string;
  parameters: readonly Parameter[];
  body: Schema | undefined;
  /** A body that the document shows. */
  example: unknown;
  /** By status (or `4XX`, `default`): the schema of each media type. */
  answers: Readonly<Record<string, Readonly<Record<string, Schema>>>>;
}

export function operationsOf({ paths, components }: Document): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { operationId, parameters, requestBody, responses }]) => ({
        id: operationId,
        method: method.toUpperCase(),
        path,
        parameters: parameters ?? [],
        body: requestBody?.content["application/json"].schema,
        example: requestBody?.content["application/json"].example,
        answers: Object.fromEntries(
          Object.entries(responses).map(([status, response]) => [status, contentOf(response)]),
        ),
      }),
    ),
  );

  function contentOf(response: Response | { $ref: string }): Record<string, Schema> {
    const { content = {} } =
      "$ref" in response ? (components.responses[lastOf(response.$ref)] ?? {}) : response;
    return Object.fromEntries(Object.entries(content).map(([type, { schema }]) => [type, schema]));
  }
}

/** The last name of a reference, such as `#/components/schemas/Error`. */
export function lastOf(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

/** Which operation a path on the wire means: of several, the one that spells most of it out. */
export function operationAt(
  operations: readonly Operation[],
  method: string,
  path: string,
): Operation | undefined {
  return operations
    .filter((one) => one.method === method && patternOf(one.path).test(path))
    .sort((a, b) => blanks(a.path) - blanks(b.path) || a.path.indexOf("{") - b.path.indexOf("{"))
    .at(0);
}

function blanks(path: string): number {
  return path.split("{").length;
}

const patterns = new Map<string, RegExp>();
function patternOf(path: string): RegExp {
  const made = patterns.get(path) ?? new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
  patterns.set(path, made);
  return made;
}
