import { missingIn } from "../code/diff.ts";
import type { Block } from "./test-file.ts";

export interface Pairs {
  /** The same test or helper, before and after. */
  pairs: [Block, Block][];
  missing: Block[];
  fresh: Block[];
}

/** What a block does and where: equal for blocks that are only named otherwise, or stand in another group. */
export function bodyOf({ parts, context }: Block): string {
  return [context, ...parts.map(({ key }) => key)].join("\n");
}

/** Which block of before is which of after: by its whole name, else by what it does, else by its own name. */
export function pairBlocks(before: readonly Block[], after: readonly Block[]): Pairs {
  const pairs: [Block, Block][] = [];
  let missing = [...before];
  let fresh = [...after];
  const pairBy = (keyOf: (block: Block) => string | null) => {
    const free = new Map<string, Block[]>();
    // The last first, so that the first is taken from the end.
    for (const block of fresh.toReversed()) {
      const key = keyOf(block);
      if (key === null) continue;
      const same = free.get(key);
      if (same) same.push(block);
      else free.set(key, [block]);
    }
    const taken = new Set<Block>();
    missing = missing.filter((block) => {
      const key = keyOf(block);
      const twin = key === null ? undefined : free.get(key)?.pop();
      if (!twin) return true;
      taken.add(twin);
      pairs.push([block, twin]);
      return false;
    });
    fresh = fresh.filter((block) => !taken.has(block));
  };
  pairBy((block) => `${block.id}\n${bodyOf(block)}`);
  pairBy(({ id }) => id);
  pairBy(bodyOf);
  pairBy(({ name }) => name);
  return growPairs({ pairs, missing, fresh });
}

/** So many blocks are compared with each other to find one that got another name and more assertions. */
const COMPARED = 40;

function growPairs({ pairs, missing, fresh }: Pairs): Pairs {
  if (missing.length > COMPARED || fresh.length > COMPARED) return { pairs, missing, fresh };
  const free = [...fresh];
  const left = missing.filter((block) => {
    const keys = block.parts.slice(1).map(({ key }) => key);
    const at = free.findIndex(
      ({ parts, context }) =>
        context === block.context &&
        keys.length > 0 &&
        missingIn(
          keys,
          parts.slice(1).map(({ key }) => key),
        ).length === 0,
    );
    if (at === -1) return true;
    pairs.push([block, ...(free.splice(at, 1) as [Block])]);
    return false;
  });
  return { pairs, missing: left, fresh: free };
}
