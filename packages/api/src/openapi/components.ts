import { z } from "zod";

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
    for (const [name, definition] of Object.entries(($defs as Record<string, Json>) ?? {})) {
      const before = this.schemas[name];
      const made = moved(definition);
      if (before !== undefined && JSON.stringify(before) !== JSON.stringify(made)) {
        throw new TypeError(`Two different schemas of the contract are called ${name}.`);
      }
      this.schemas[name] = made;
    }
    return moved(own);
  }
}

export function toJson(schema: z.ZodType, direction: Direction): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: direction,
    unrepresentable: "any",
  }) as Json;
  return json;
}

/** The same with its references pointing to where the document keeps named schemas. */
function moved(schema: Json): Json {
  const text = JSON.stringify(schema);
  return JSON.parse(text.replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/')) as Json;
}
