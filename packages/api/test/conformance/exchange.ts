/**
 * A request to the older server and its recorded answer. Ids are written as the names that `as` gives them, `{A}`;
 * times as `{time}`.
 */
export interface Exchange {
  name: string;
  /** Method and path. */
  request: string;
  /** JSON, or text that is sent as it is. */
  body?: unknown;
  /** Without the token. */
  anonymous?: true;
  status: number;
  /** Null for an answer that was no JSON. */
  answer: unknown;
  /** Names the id in the answer. */
  as?: string;
  /** Ours is another on purpose. */
  differs?: { because: string; status: number; answer?: object };
}

/** What only we are asked in between, where the older server is in another state than ours. */
export interface Meanwhile {
  meanwhile: string;
  body?: unknown;
  /** Names the id in the answer. */
  as?: string;
}

export type Step = Exchange | Meanwhile;

type Rest = Partial<Omit<Exchange, "name" | "request" | "status" | "answer">>;

export function exchange(
  name: string,
  request: string,
  [status, answer]: readonly [status: number, answer: unknown],
  rest: Rest = {},
): Exchange {
  return { name, request, status, answer, ...rest };
}

export const ok = (data: unknown, more: object = {}) =>
  [200, { success: true, data, ...more }] as const;

export const did = (message: string) => [200, { success: true, message }] as const;

export const refused = (status: number, error: string) => [status, { error }] as const;

/** What its development server sent for a path or a method that it did not know. */
export const NO_ROUTE = [502, null] as const;

export function differs(because: string, status: number, answer?: object): Rest {
  return { differs: { because, status, ...(answer ? { answer } : {}) } };
}

/** Answered with the same sentence under another status. */
export function otherStatus(because: string, status: number, error: string): Rest {
  return differs(because, status, { success: false, error });
}
