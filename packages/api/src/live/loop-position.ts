import type { LoopState, RecordedEvent } from "@ccw-loop/core";

/** A fact in the journal. `index`: its number within its commit; Infinity for the whole commit. */
export interface FactPosition {
  revision: number;
  index: number;
}

/** How far a listener of one loop is: the last fact and, by its `seq`, the last record of agent.log that it has. */
export interface LoopPosition extends FactPosition {
  seq: number;
}

export interface StreamPosition {
  position: LoopPosition;
  /** Tells the loop from another that has its id later. */
  incarnation: string;
}

/** Before everything. */
export const BEGINNING: LoopPosition = { revision: 0, index: Number.POSITIVE_INFINITY, seq: 0 };

/** Tells a loop from another that had its id before. */
export function incarnationOf({ created_at }: Pick<LoopState, "created_at">): string {
  return `${Date.parse(created_at)}`;
}

/** `12.0~40711~1795174395629`; a commit that was delivered whole has no index. */
export function formatPlace({ position, incarnation }: StreamPosition): string {
  const { revision, index, seq } = position;
  const number = index === Number.POSITIVE_INFINITY ? "" : `.${index}`;
  return `${revision}${number}~${seq}~${incarnation}`;
}

const PLACE = /^(\d{1,15})(?:\.(\d{1,15}))?~(\d{1,15})~(\d{1,15})$/;

export function parsePlace(text: string): StreamPosition | null {
  const [, revision, index, seq, incarnation] = PLACE.exec(text) ?? [];
  if (incarnation === undefined) return null;
  const position = {
    revision: Number(revision),
    index: index === undefined ? Number.POSITIVE_INFINITY : Number(index),
    seq: Number(seq),
  };
  return { position, incarnation };
}

/** Numbers facts, which come in whole commits. */
export function factCounter(): (recorded: RecordedEvent) => FactPosition {
  let last = { revision: 0, index: 0 };
  return ({ revision }) => {
    last = { revision, index: revision === last.revision ? last.index + 1 : 0 };
    return last;
  };
}

/** Whether `a` is behind `b` in the journal. */
export function isLaterFact(a: FactPosition, b: FactPosition): boolean {
  return a.revision === b.revision ? a.index > b.index : a.revision > b.revision;
}

/** Whether a reader has messages that this server has not sent yet: another server was further. */
export function isAhead(position: LoopPosition, head: LoopPosition): boolean {
  const { revision, index, seq } = position;
  // Of a whole commit nobody knows the last index.
  const first = index === Number.POSITIVE_INFINITY ? 0 : index;
  return seq > head.seq || isLaterFact({ revision, index: first }, head);
}
