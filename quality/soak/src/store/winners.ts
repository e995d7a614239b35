import { rivals } from "../../../../packages/store-fs/test/rivals.ts";
import { removeFolder, temporaryFolder } from "../../../support/folders.ts";
import { type Outcome, unmetNeeds } from "../../../support/runs.ts";

/** Twenty writers in four processes append to the same revision, again and again: exactly one may win. */
export async function oneWinner(rounds: number): Promise<Outcome> {
  const root = temporaryFolder("winners");
  const { counts, atOnce } = await rivals(root, rounds);
  removeFolder(root);
  const one = counts.get(1) ?? 0;
  const wrong = one === rounds ? [] : [`${rounds - one} rounds had another number of winners.`];
  const needs = [{ what: "round with all processes at once", count: atOnce, onceIn: 20 }];
  return {
    problems: [...wrong, ...unmetNeeds(needs, rounds, "rounds")],
    figures: `All processes at once in ${atOnce} rounds.`,
    last: `rounds: ${rounds}, with exactly one winner: ${one}, others: ${rounds - one}`,
  };
}
