/** Something that has to happen in a run. */
export interface Need {
  what: string;
  /** How often it happened. */
  count: number;
  /** It has to happen once in so many of the run's units, and at least once; without a number once is enough. */
  onceIn?: number;
}

/** Why a run proves nothing: a sentence for everything that happened too seldom in it. Empty for a run that counts. */
export function tooFew(needs: readonly Need[], size: number, unit: string): string[] {
  return needs.flatMap(({ what, count, onceIn }) => {
    const least = onceIn === undefined ? 1 : Math.max(1, Math.floor(size / onceIn));
    if (count >= least) return [];
    const remedy = onceIn !== undefined && size < onceIn ? ` Run at least ${onceIn} ${unit}.` : "";
    return [
      `This run does not count: "${what}" happened ${count} times in ${size} ${unit}, and has to happen at least ${least} times.${remedy}`,
    ];
  });
}
