/** Names that say that nobody is asked: of modes, of options, of variables. */
const ALLOWS_ALL =
  /yolo|bypass|full.?access|allow.?all|dont.?ask|auto.?(?:approv|accept|edit|run)|skip.?perm/i;
/** Modes alone have names this short: a model decides what is asked. */
const AUTOMATIC = /auto|accept.?edits/i;

/** Whether an option or a variable with this name lets an agent write and run without asking. */
export function allowsAll(name: string): boolean {
  return ALLOWS_ALL.test(name);
}

/** What keeps a mode from being taken, as the end of a sentence; null for one in which an agent may work. */
export function modeProblem(mode: string): string | null {
  const [last = mode] = mode.split("#").slice(-1);
  return ALLOWS_ALL.test(last) || AUTOMATIC.test(last)
    ? `in the mode ${last} it may write and run without asking`
    : null;
}
