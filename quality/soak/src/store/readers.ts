import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fsStore } from "@ccw-loop/store-fs";
import { BY, newLoop, noted } from "../../../../packages/store-fs/test/loops.ts";
import { removeFolder, temporaryFolder } from "../../../support/folders.ts";
import { type Outcome, unmetNeeds } from "../../../support/runs.ts";

const CHILDREN = join(import.meta.dirname, "../../../../packages/store-fs/test/children");

/** Another program reads and parses a state file without a pause while we commit to it. */
export async function foreignReadings(count: number): Promise<Outcome> {
  const root = temporaryFolder("readers");
  const store = fsStore({ root });
  let { revision } = await store.create(newLoop("a"), BY);
  const file = join(root, ".workflow/.loop/a.json");
  const reader = fork(join(CHILDREN, "plain-reader.ts"), [file, String(count)]);
  const answer = once(reader, "message");
  let reading = true;
  void answer.then(() => {
    reading = false;
  });
  for (let n = 0; reading; n++) {
    ({ revision } = await store.append("a", revision, [noted(`${n}`)], BY));
  }
  const [{ reads, newest, problems }] = await answer;
  await store.close();
  removeFolder(root);
  const needs = [
    { what: "commit beside the readings", count: revision, onceIn: 2000 },
    { what: "revision that the reader came to", count: newest, onceIn: 4000 },
  ];
  return {
    problems: [...problems, ...unmetNeeds(needs, reads, "readings")],
    figures: "",
    last: `commits: ${revision}, reads: ${reads}, up to revision ${newest}, torn: ${problems.length}`,
  };
}
