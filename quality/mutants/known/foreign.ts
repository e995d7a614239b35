import type { Mutant } from "../mutant.ts";

const FORGED = "packages/store-fs/test/forged.test.ts";
const QUICK = "packages/store-fs/test/quick-writer.test.ts";
const CHANGES = "packages/store-fs/test/changes.test.ts";

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
    name: "A save over which we put ours counts as known to whoever read ours.",
    file: "packages/store-fs/src/external-edits/basis.ts",
    find: "(!save.covered || hasSomeOf(save, theirs))",
    replace: "(!save.covered || true)",
    test: { file: QUICK, title: "the document that it was made from over it once more" },
  },
  {
    name: "What another program only copied from us counts as its own edit.",
    file: "packages/store-fs/src/external-edits/basis.ts",
    find: "if (!changed.some((one) => path === one || isBelow(path, one))) return false;",
    replace: "if (changed.length === 0) return false;",
    test: { file: QUICK, title: "also where another edit has a copy of that" },
  },
  {
    name: "A state put together from changes is not compared with its etag.",
    file: "packages/store-fs/src/commit/decode.ts",
    find: "if (etagOfParts(freeze(Object(told))) !== last.change.etag) {",
    replace: "if (last.change.etag === null) {",
    test: { file: CHANGES, title: "what the newest changed is damage" },
  },
  {
    name: "Old commits are let go of that newer ones rest on.",
    file: "packages/store-fs/src/commit/history.ts",
    find: "return baseIn(beginning.toString()) ?? revision;",
    replace: "return revision;",
    test: { file: CHANGES, title: "the history of a large loop stays small" },
  },
  {
    name: "Commits of a large loop never hold the whole state again.",
    file: "packages/store-fs/src/commit/commit-form.ts",
    find: "if (since > base.size || since + base.size > MOST_COMMIT_BYTES) return null;",
    replace: "",
    test: { file: CHANGES, title: "the history of a large loop stays small" },
  },
  {
    name: "A large document is written with every commit.",
    file: "packages/store-fs/src/publish/schedule.ts",
    find: "return (publishedText?.length ?? 0) > LARGE ? SELDOM : USUAL;",
    replace: "return publishedText === '' ? SELDOM : USUAL;",
    test: { file: CHANGES, title: "a large document is published once a second" },
  },
  {
    name: "What a newer version wrote is read as if it were ours.",
    file: "packages/core/src/state/read.ts",
    find: "schema_version <= SCHEMA_VERSION) return;",
    replace: "schema_version !== 0) return;",
    test: { file: CHANGES, title: "a loop that a newer version wrote" },
  },
  {
    name: "A document is not looked at again although it may have been written in the same moment.",
    file: "packages/store-fs/src/context.ts",
    find: "runtime.wall() - info.changed <= SETTLES_MS) return null;",
    replace: "runtime.wall() < 0) return null;",
    test: { file: CHANGES, title: "in the moment in which it was published" },
  },
  {
    name: "A document whose times were set back is not looked at again.",
    file: "packages/store-fs/src/context.ts",
    find: "[info.instance, info.size, info.changed].join",
    replace: "[info.instance, info.size].join",
    test: { file: CHANGES, title: "and its times set back" },
  },
];
