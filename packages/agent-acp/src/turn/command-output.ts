/** So many characters are told at once, and remembered. */
const MOST = 64 * 1024;
/** So many of the first are remembered besides: an agent may say there how the command ended. */
const FIRST = 100;

/** What a command has printed as far as it was told; of that only the beginning and the end are kept. */
export class CommandOutput {
  #length = 0;
  #begin = "";
  #end = "";

  /**
   * Takes in what is new, as pieces and as all that was printed up to now, where an agent tells one or both of them.
   * Answers what was not told yet, at most its last 64 K characters.
   */
  take(piece: string, whole: string): string {
    this.#add(piece);
    if (whole === "" || this.#end.endsWith(whole)) return piece.slice(-MOST);
    const rest = whole.slice(this.#lengthKnownOf(whole));
    this.#length = whole.length;
    this.#begin = whole.slice(0, FIRST);
    this.#end = whole.slice(-MOST);
    return (piece + rest).slice(-MOST);
  }

  /** All of it that is remembered. */
  get remembered(): string {
    return this.#length > this.#end.length ? this.#begin + this.#end : this.#end;
  }

  /** The call is over: nothing has to be remembered any more. */
  clear(): void {
    this.#begin = "";
    this.#end = "";
    this.#length = 0;
  }

  #add(piece: string): void {
    this.#length += piece.length;
    this.#begin = (this.#begin + piece).slice(0, FIRST);
    this.#end = (this.#end + piece).slice(-MOST);
  }

  /** How much of `whole` was told; where it begins otherwise, as far as both are the same. */
  #lengthKnownOf(whole: string): number {
    if (whole.startsWith(this.#end, this.#length - this.#end.length)) return this.#length;
    if (this.#length > this.#end.length) return 0;
    let same = 0;
    while (same < whole.length && this.#end[same] === whole[same]) same += 1;
    return same;
  }
}
