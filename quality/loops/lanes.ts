/** Does `work` for every item, `lanes` at a time; answers in the order of the items. */
export async function inLanes<Item, Result>(
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
