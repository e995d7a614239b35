import { newOpenLoop, type OpenLoop } from "./context.ts";

/** How much is remembered at once: loops, and characters of their files. The others are read again. */
const MOST_LOOPS = 1000;
const MOST_CHARACTERS = 8_000_000;

/** What is remembered about loops; those longest out of use are forgotten first. */
export function rememberedLoops(folder: string): (id: string) => OpenLoop {
  const remembered = new Map<string, { loop: OpenLoop; characters: number }>();
  let characters = 0;
  let newest = "";

  /** What a loop holds changes while it is worked on, so it is counted again when another one's turn comes. */
  function count(id: string): void {
    const entry = remembered.get(id);
    if (!entry) return;
    const { publishedText, tasks } = entry.loop;
    characters -= entry.characters;
    entry.characters = (publishedText?.length ?? 0) + (tasks?.text.length ?? 0);
    characters += entry.characters;
  }

  return (id) => {
    if (id !== newest) count(newest);
    newest = id;
    const entry = remembered.get(id) ?? { loop: newOpenLoop(folder, id), characters: 0 };
    remembered.delete(id);
    remembered.set(id, entry);
    for (const [oldest, { characters: own }] of remembered) {
      const full = remembered.size > MOST_LOOPS || characters > MOST_CHARACTERS;
      if (!full || oldest === id) break;
      characters -= own;
      remembered.delete(oldest);
    }
    return entry.loop;
  };
}
