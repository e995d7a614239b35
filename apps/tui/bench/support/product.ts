import { fileURLToPath } from "node:url";

/** `scripts/built-copy.ts` of the command line, which is above this package and no part of what it is compiled with. */
const BUILT_COPY = fileURLToPath(
  new URL("../../../../packages/cli/scripts/built-copy.ts", import.meta.url),
);

interface BuiltCopy {
  builtCopy: (folder: string) => Promise<string>;
}

/** Builds the command line as it is published into `folder`; answers with its launcher. */
export async function product(folder: string): Promise<string> {
  const { builtCopy }: BuiltCopy = await import(BUILT_COPY);
  return builtCopy(folder);
}
