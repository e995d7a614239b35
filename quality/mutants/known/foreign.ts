import type { Mutant } from "../mutant.ts";

const FORGED = "packages/store-fs/test/forged.test.ts";
const QUICK = "packages/store-fs/test/quick-writer.test.ts";

/** What files of other writers bring into a loop. */
export const mutants: Mutant[] = [
  {
    name: "A state file whose etag fits is taken for our own, whoever wrote it.",
    file: "packages/store-fs/src/external-edits/import-document.ts",
    find: "return isHead || history.etag(loop.paths, raw.revision) === raw.etag;",
    replace: "return true || isHead;",
    test: { file: FORGED, title: "that names the newest revision proves nothing" },
  },
  {
    name: "A state file brings receipts.",
    file: "packages/core/src/state/field-sources.ts",
    find: `receipts: "measured"`,
    replace: `receipts: "operator"`,
    test: { file: FORGED, title: "that names a higher revision proves nothing" },
  },
  {
    name: "A file without a history brings a completed loop.",
    file: "packages/core/src/state/admit.ts",
    find: `if (value.status !== "completed") return`,
    replace: `if (value.status !== "") return`,
    test: { file: FORGED, title: "of another tool brings a loop that is paused" },
  },
  {
    name: "A loop that goes back takes its proof from old events.",
    file: "packages/core/src/machine/rewind.ts",
    find: "return unproven(keepTrusted(now, found));",
    replace: "return found;",
    test: {
      file: "packages/core/test/go-back.test.ts",
      title: "brings no proof that the newest state does not have",
    },
  },
  {
    name: "A loop of which only the journal is left is not listed.",
    file: "packages/store-fs/src/list/loop-index.ts",
    find: "if (part) found.add(part.id);",
    replace: 'if (part?.part === "state") found.add(part.id);',
    test: {
      file: "packages/store-fs/test/recover.test.ts",
      title: "a loop of which only a.journal.jsonl is left is listed",
    },
  },
  {
    name: "A recovery from documents counts only the actions that develop.md names.",
    file: "packages/store-fs/src/repair/remains.ts",
    find: "Math.max(loop?.current_iteration ?? 0, done.length, ...runs)",
    replace: "done.length",
    test: {
      file: "packages/store-fs/test/recover-documents.test.ts",
      title: "of which develop.md is gone still tells",
    },
  },
  {
    name: "An earlier edit of another program counts as ours, so its next one is a conflict.",
    file: "packages/store-fs/src/external-edits/basis.ts",
    find: `return author.written > written ? "later" : "earlier";`,
    replace: "return null;",
    test: { file: QUICK, title: "is no conflict with it" },
  },
  {
    name: "A save that is found late comes back over the newer one.",
    file: "packages/store-fs/src/external-edits/basis.ts",
    find: `author.written > written ? "later" : "earlier"`,
    replace: `"earlier"`,
    test: { file: QUICK, title: "does not come back over it when it is found later" },
  },
  {
    name: "What another program only copied from us counts as its own edit.",
    file: "packages/store-fs/src/external-edits/basis.ts",
    find: "if (!changed.some((one) => path === one || isBelow(path, one))) return false;",
    replace: "if (changed.length === 0) return false;",
    test: { file: QUICK, title: "also where another edit has a copy of that" },
  },
];
