/** Ends a program that was called in a way that it does not know. */
export function stop(problem: string): never {
  console.error(problem);
  process.exit(2);
}

/** The whole number from `least` on that was given for an option; ends the program for anything else. */
export function numberOf(text: string, option: string, least = 1): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= least) return number;
  return stop(`Give --${option} a whole number from ${least} on.`);
}

/** The seed that was given, or another one each time. */
export function seedOf(text: string | undefined): number {
  return text === undefined ? Date.now() % 2 ** 31 : numberOf(text, "seed", 0);
}

/** Ends by `process.exit`, so that an interrupted run leaves nothing behind. */
export function exitOnSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));
}

/**
 * The items that one of the texts names, else those with it in what `textOf` gives; all without a text. Ends the program
 * when there are none.
 */
export function chosenBy<Item extends { name: string }>(
  items: readonly Item[],
  texts: readonly string[],
  textOf: (item: Item) => string = ({ name }) => name,
): readonly Item[] {
  if (texts.length === 0) return items;
  const names = new Set(items.map(({ name }) => name));
  const fits = (item: Item) =>
    texts.some((text) => (names.has(text) ? item.name === text : textOf(item).includes(text)));
  const found = items.filter(fits);
  if (found.length > 0) return found;
  return stop(`Nothing is called ${texts.join(", ")}. There are: ${[...names].join(", ")}.`);
}

/** Whole seconds since this program was started. */
export function secondsSoFar(): number {
  return Math.round(performance.now() / 1000);
}
