import type { RawPath } from "../../raw-path.ts";
import type { Converted } from "../filters.ts";
import { parseEntries } from "../listing.ts";
import { contentsOf, sizesOf } from "../objects.ts";
import type { PrivateIndex } from "../private-index.ts";
import { LFS, LONGEST, type Pointer, parsePointer } from "./pointer.ts";

/** The pointers that the index holds. */
export async function indexPointers(
  { repository, run }: PrivateIndex,
  { filtered }: Converted,
): Promise<Map<RawPath, Pointer>> {
  const pointers = new Map<RawPath, Pointer>();
  if (![...filtered.values()].includes(LFS)) return pointers;
  const entries = parseEntries((await run(["ls-files", "-s", "-z"])).stdout).filter(
    ({ path }) => filtered.get(path) === LFS,
  );
  const sizes = await sizesOf(
    repository,
    entries.map(({ name }) => name),
  );
  const small = entries.filter(({ name }) => (sizes.get(name) ?? Number.NaN) <= LONGEST);
  const contents = await contentsOf(
    repository,
    small.map(({ name }) => name),
  );
  small.forEach(({ path }, index) => {
    const pointer = parsePointer(contents[index]?.toString("latin1") ?? "");
    if (pointer) pointers.set(path, pointer);
  });
  return pointers;
}
