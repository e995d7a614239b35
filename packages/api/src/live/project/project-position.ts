/** How far a listener of all loops is: in the messages of one server process, and when it was there. */
export interface ProjectPosition {
  instance: string;
  seq: number;
  ms: number;
}

const POSITION = /^([0-9a-f]{8})\.(\d{1,15})\.(\d{1,15})$/;

export function formatProjectPosition({ instance, seq, ms }: ProjectPosition): string {
  return `${instance}.${seq}.${ms}`;
}

/** Null for text that is no position of ours. */
export function parseProjectPosition(text: string): ProjectPosition | null {
  const [, instance, seq, ms] = POSITION.exec(text) ?? [];
  if (instance === undefined) return null;
  return { instance, seq: Number(seq), ms: Number(ms) };
}
