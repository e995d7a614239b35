import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Document } from "../document.ts";

/** What is wrong with a JSON text under a schema of the document; undefined when it fits. */
export type Conform = (text: string, schema: object) => string | undefined;

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
