import type { ListPosition, ListQuery, LoopState } from "@ccw-loop/core";

/** What filters and order need to know about a loop. */
export interface Summary extends ListPosition {
  status: string;
  tags: readonly string[];
  /** Id, title and description in lower case. */
  words: string;
}

export function summaryOf(state: LoopState): Summary {
  const { loop_id, title, description, status, tags = [], updated_at } = state;
  const words = `${loop_id}\n${title}\n${description}`.toLowerCase();
  return { loop_id, updated_at, status, tags, words };
}

export function matchesQuery(summary: Summary, { status, tag, text }: ListQuery): boolean {
  return (
    (status === undefined || summary.status === status) &&
    (tag === undefined || summary.tags.includes(tag)) &&
    (text === undefined || summary.words.includes(text.toLowerCase()))
  );
}
