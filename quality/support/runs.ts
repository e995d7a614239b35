/** Does `work` for every item, `lanes` at a time; answers in the order of the items. */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  lanes: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const lane = async () => {
    for (let n = next++; n < items.length; n = next++) {
      results[n] = await work(items[n] as Item);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}

/** Something that has to happen in a run. */
export interface Need {
  what: string;
  /** How often it happened. */
  count: number;
  /** It has to happen once in so many of the run's units, and at least once; without a number once is enough. */
  onceIn?: number;
}

/** Why a run proves nothing: a sentence for everything that happened too seldom in it. Empty for a run that counts. */
export function unmetNeeds(needs: readonly Need[], size: number, unit: string): string[] {
  return needs.flatMap(({ what, count, onceIn }) => {
    const least = onceIn === undefined ? 1 : Math.max(1, Math.floor(size / onceIn));
    if (count >= least) return [];
    const remedy = onceIn !== undefined && size < onceIn ? ` Run at least ${onceIn} ${unit}.` : "";
    return [
      `This run does not count: "${what}" happened ${count} times in ${size} ${unit}, and has to happen at least ${least} times.${remedy}`,
    ];
  });
}

/** What a run came to. */
export interface Outcome {
  /** A sentence each; a run without any is clean. */
  problems: readonly string[];
  /** What was measured besides, in sentences. */
  figures: string;
  /** The line that counts, printed last. */
  last: string;
}
