/** Two numbers; the end that is not there is open. */
export interface NumberRange {
  from?: number;
  to?: number;
}

/** `A..B`, `A..`, `..B`, or `A` for `A..`; undefined for anything else. */
export function parseRange(text: string): NumberRange | undefined {
  const [whole, from, dots, to] = /^(\d{1,9})?(\.\.)?(\d{1,9})?$/.exec(text) ?? [];
  if (!whole || (dots === undefined && to !== undefined)) return undefined;
  return {
    ...(from === undefined ? {} : { from: Number(from) }),
    ...(to === undefined ? {} : { to: Number(to) }),
  };
}
