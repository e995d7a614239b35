/**
 * What a schema with unknown fields gives, by its known fields alone: a misspelt field does not compile. Unknown fields
 * are there all the same, and are kept; `ownOf` reads one.
 */
export type Known<T> = T extends readonly (infer E)[]
  ? Known<E>[]
  : T extends object
    ? [keyof WithoutIndex<T>] extends [never]
      ? T
      : { [K in keyof WithoutIndex<T>]: Known<WithoutIndex<T>[K]> }
    : T;

type WithoutIndex<T> = { [K in keyof T as string extends K ? never : K]: T[K] };
