/** What each call gave, in their order; null where that cannot be compared. */
export type Results = readonly (string | null)[];

/** What became of calls that were repeated. */
export interface RepeatOutcome {
  results: (string | null)[];
  /** Modules that could not be loaded. */
  unloadable: Set<string>;
  /** Calls and modules that ended the program. */
  ended: { calls: number[]; modules: string[] };
}

/** Of a call, and of the loading of a module. */
export const ENDED = "the program ended";

export function emptyOutcome(calls: number): RepeatOutcome {
  return {
    results: Array.from({ length: calls }, () => null),
    unloadable: new Set(),
    ended: { calls: [], modules: [] },
  };
}

/**
 * Adds what a program wrote (see `ReplayLanguage.program`); a call or a module that was begun and did not come to its end
 * ended it. `whole` says whether the program came to its own end.
 */
export function addLines(
  repeated: RepeatOutcome,
  text: string,
  modules: readonly string[],
): { whole: boolean } {
  const { results, unloadable, ended } = repeated;
  const failed = (module: string, why: string) => {
    unloadable.add(module);
    for (const [n, one] of modules.entries()) {
      if (one === module) results[n] = `could not be loaded: ${why}`;
    }
  };
  let [call, module, whole]: [number?, string?, boolean?] = [];
  for (const [word, about, told] of linesOf(text)) {
    if (word === "load") module = about;
    if (word === "loaded" || word === "failed") module = undefined;
    if (word === "failed") failed(about, told);
    if (word === "call") call = about;
    if (word === "gave") [call, results[about]] = [undefined, told];
    if (word === "end") whole = true;
  }
  if (call !== undefined) {
    results[call] = ENDED;
    ended.calls.push(call);
  }
  if (module !== undefined) {
    failed(module, ENDED);
    ended.modules.push(module);
  }
  return { whole: whole === true };
}

/** The last one may not have been written to its end. */
function linesOf(text: string) {
  return text.split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}
