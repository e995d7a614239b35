import { refresh } from "../commits/head.ts";
import { KEPT } from "../commits/history.ts";
import { catchUp, journalText } from "../commits/journal.ts";
import type { Context, OpenLoop } from "../context.ts";
import { storeError } from "../disk/errors.ts";
import { takeIn } from "../foreign/take-in.ts";
import { publishDocument } from "./document.ts";
import { publishProgress, publishTasks } from "./views.ts";

/** Older revisions are let go of after so many commits. */
const TIDY_EVERY = 32;

/**
 * Makes the public files say what the newest commit says: journal, tasks, progress documents and, when all
 * that is there, the state document. All of it can be done again at any time, so what fails here (a full
 * disk) is told as a warning and left to the next time. True when nothing is left to do.
 */
export async function publish(context: Context, loop: OpenLoop): Promise<boolean> {
  for (;;) {
    const head = refresh(context, loop);
    if (!head) return true;
    const { state, revision } = head.commit;
    let done = true;
    const attempt = <T>(step: () => T): T | undefined => {
      try {
        return step();
      } catch (error) {
        done = false;
        tell(context, loop, error);
        return undefined;
      }
    };
    attempt(() => publishJournal(context, loop, revision));
    attempt(() => publishTasks(context, loop, state));
    attempt(() => publishProgress(context, loop, state));
    const foreign = await publishDocument(context, loop, head).catch((error: unknown) => {
      done = false;
      tell(context, loop, error);
      return null;
    });
    while (foreign && !(await takeIn(context, loop, foreign))) refresh(context, loop);
    // Somebody may have gone on meanwhile: then what was just written is not the newest.
    if (refresh(context, loop) === head && (!foreign || loop.published > 0)) {
      if (done) await tidy(context, loop, revision);
      return done;
    }
  }
}

export function publishJournal({ disk, history }: Context, loop: OpenLoop, newest: number): void {
  const { paths, lines } = loop;
  const textOf = (revision: number) => {
    const text = lines.get(revision);
    if (text !== undefined) return text;
    const stored = history.tryLoad(paths, revision);
    return stored && journalText(stored.commit);
  };
  loop.journal = catchUp(disk, paths.journal, newest, textOf, loop.journal);
  lines.clear();
}

/** Commits are let go of only when the journal tells of them and is on the disk. */
async function tidy({ disk, history }: Context, loop: OpenLoop, newest: number): Promise<void> {
  if (newest < loop.tidied + TIDY_EVERY) return;
  loop.tidied = newest;
  const { paths } = loop;
  if (history.revisions(paths).length < KEPT + TIDY_EVERY) return;
  await disk.syncFile(paths.journal);
  await history.trim(paths, newest);
}

function tell(context: Context, loop: OpenLoop, error: unknown): void {
  const { id } = loop.paths;
  const known = storeError(error, id);
  const text = known instanceof Error ? known.message : String(known);
  context.warn(id, `The state is safe, but its public files could not be written: ${text}`);
}
