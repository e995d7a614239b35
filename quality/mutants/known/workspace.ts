import type { Mutant } from "../mutant.ts";

const ROOM = "packages/workspace-git/test/room.test.ts";
const MEASURE = "packages/workspace-git/test/measure.test.ts";
const NOT_BELIEVED = "packages/workspace-git/test/not-believed.test.ts";

export const mutants: Mutant[] = [
  {
    name: "A suspended owner moves the ref of a recorded checkpoint, and git gc loses its commit.",
    file: "packages/workspace-git/src/checkpoint/checkpoint.ts",
    find: 'const made = ["update-ref", "--no-deref", ref, commit, zeroName(repository)];',
    replace: 'const made = ["update-ref", "--no-deref", ref, commit];',
    test: {
      file: "packages/workspace-git/test/checkpoint.test.ts",
      title: "keeps its ref when an owner that was suspended",
    },
  },
  {
    name: "Ignored files are in a room although they are not what they were.",
    file: "packages/workspace-git/src/clean-room/link-dependencies.ts",
    find: "if ((await fileDigest(here)) !== digest) {",
    replace: 'if (digest === "") {',
    test: { file: ROOM, title: "git: small ignored files" },
  },
  {
    name: "Ignored files of a room are newer than its sources.",
    file: "packages/workspace-git/src/clean-room/link-dependencies.ts",
    find: "await utimes(here, atime, mtime);",
    replace: "void [atime, mtime, utimes];",
    test: { file: ROOM, title: "git: small ignored files" },
  },
  {
    name: "An object that somebody put under another one's name reaches a clean room.",
    file: "packages/workspace-git/src/git/object-reader.ts",
    find: "if (!answer.isTrue) throw",
    replace: "if (answer.isTrue === undefined) throw",
    test: { file: MEASURE, title: "is refused when it was a file of a checkpoint" },
  },
  {
    name: "A clean room is written beside its folder, where a tree says so.",
    file: "packages/workspace-git/src/git/trees.ts",
    find: '|| name.includes("/");',
    replace: '|| name.includes("\0");',
    test: { file: MEASURE, title: "makes no room that writes to ../../out" },
  },
  {
    name: "A file that is written while git reads it is in no tree.",
    file: "packages/workspace-git/src/measure/private-index.ts",
    find: "const written = paths.filter((path, index) => this.#stampOf(path) !== before[index]);",
    replace: "const written = paths.filter((path) => this.#stampOf(path) === before[-1]);",
    test: { file: NOT_BELIEVED, title: "in the moment in which git reads it" },
  },
  {
    name: "Git is not asked again when a rule of ignored files changed.",
    file: "packages/workspace-git/src/measure/folder-status.ts",
    find: "isDeepStrictEqual(before.rules, now.rules) &&",
    replace: "",
    test: {
      file: "packages/workspace-git/test/folder-status.test.ts",
      title: "git is asked again after a change of a rule",
    },
  },
  {
    name: "Git is not asked again when there is a new file.",
    file: "packages/workspace-git/src/measure/folder-status.ts",
    find: "isDeepStrictEqual(before.entries, now.entries) &&",
    replace: "",
    test: {
      file: "packages/workspace-git/test/folder-status.test.ts",
      title: "git is asked again after a change of a new file",
    },
  },
  {
    name: "A file that was just written is taken for what it was.",
    file: "packages/workspace-git/src/measure/folder-status.ts",
    find: "(settled && now.files.get(path)?.stamp === stamp)",
    replace: "now.files.get(path)?.stamp === stamp",
    test: {
      file: "packages/workspace-git/test/folder-status.test.ts",
      title: "a file that was just written",
    },
  },
  {
    name: "Folders that hold only ignored files are not looked through.",
    file: "packages/workspace-git/src/measure/folder-status.ts",
    find: "else if (!ignored.has(path)) unknown.push(path);",
    replace: "",
    test: {
      file: "packages/workspace-git/test/folder-status.test.ts",
      title: "a new file beside ignored ones",
    },
  },
  {
    name: "Git is to read files behind a link.",
    file: "packages/workspace-git/src/measure/private-index.ts",
    find: "if (linked.some((folder) =>",
    replace: "if (!linked.some((folder) =>",
    test: {
      file: "packages/workspace-git/test/measure.test.ts",
      title: "a folder with tracked files that is a link",
    },
  },
  {
    name: "The index says what a file holds that a sparse checkout leaves out.",
    file: "packages/workspace-git/src/measure/private-index.ts",
    find: "for (const path of tracked.sparse.keys()) if (lstatOf(fileAt(top, path))) changed.add(path);",
    replace: "",
    test: { file: NOT_BELIEVED, title: "whatever the index marks as left out" },
  },
  {
    name: "A clean room has what somebody put into the store of git-lfs.",
    file: "packages/workspace-git/src/measure/lfs-files.ts",
    find: "(await measure.storedDigest(stored)) === pointer.oid;",
    replace: "(await measure.storedDigest(stored)) !== null;",
    test: { file: NOT_BELIEVED, title: "whatever git-lfs has in its store" },
  },
  {
    name: "A rewind writes into the folder that a repository names as its working tree.",
    file: "packages/workspace-git/src/git/repository.ts",
    find: "if (!(await belongsTo(top, gitDir))) throw",
    replace: "if (!(await belongsTo(top, gitDir)) && top === cwd) throw",
    test: { file: NOT_BELIEVED, title: "names another folder as its working tree" },
  },
  {
    name: "A rewind writes over an ignored file that nobody keeps.",
    file: "packages/workspace-git/src/checkpoint/restore.ts",
    find: "if (!isSame) found.push(path);",
    replace: "if (isSame) found.push(path);",
    test: {
      file: "packages/workspace-git/test/restore.test.ts",
      title: "are set aside where a file of the checkpoint was",
    },
  },
  {
    name: "A file that an agent removes while its worktree is looked at fails the look.",
    file: "packages/workspace-git/src/worktree/commit.ts",
    find: "throw gone === undefined ? error : changedMeanwhile(gone.path);",
    replace: "throw error;",
    test: {
      file: "packages/workspace-git/test/worktree.test.ts",
      title: "a file that goes away while it is looked at is not there",
    },
  },
];
