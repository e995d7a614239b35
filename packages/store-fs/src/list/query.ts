import type { ListQuery, LoopState } from "@ccw-loop/core";

/** What filters and order need to know about a loop. */
export interface Summary {
  id: string;
  updatedAt: string;
  status: string;
  tags: readonly string[];
  /** Id, title and description in lower case. */
  words: string;
}

export function summaryOf(state: LoopState): Summary {
  const { loop_id: id, title, description, status, tags = [], updated_at: updatedAt } = state;
  return { id, updatedAt, status, tags, words: `${id}\n${title}\n${description}`.toLowerCase() };
}

export function fits(summary: Summary, { status, tag, text }: ListQuery): boolean {
  return (
    (status === undefined || summary.status === status) &&
    (tag === undefined || summary.tags.includes(tag)) &&
    (text === undefined || summary.words.includes(text.toLowerCase()))
  );
}

/** The newest change first; equal ones by id, so that pages do not overlap. */
export function newestFirst(a: Summary, b: Summary): number {
  if (a.updatedAt !== b.updatedAt) return a.updatedAt < b.updatedAt ? 1 : -1;
  return a.id < b.id ? -1 : 1;
}
