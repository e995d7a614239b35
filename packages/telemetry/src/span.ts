/** As a collector gets them; null for what is not known, which is left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | null>>;
export type KnownAttributes = Record<string, string | number | boolean>;

/** A span that is over. Times in milliseconds since 1970. With `error.type` among its attributes it failed. */
export interface SpanRecord {
  traceId: string;
  id: string;
  parent: string | null;
  name: string;
  kind: "internal" | "client" | "server";
  start: number;
  end: number;
  attributes: KnownAttributes;
}

export function withoutNull(attributes: Attributes): KnownAttributes {
  const known = Object.entries(attributes).filter(([, value]) => value !== null);
  return Object.fromEntries(known) as KnownAttributes;
}
