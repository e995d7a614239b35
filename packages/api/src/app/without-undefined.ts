type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** What a schema read, without the fields that were left out: ports take a field or none. */
export function withoutUndefined<T extends object>(value: T): Defined<T> {
  const given = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(given) as Defined<T>;
}
