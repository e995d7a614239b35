/** Files above this size that no tool of the user keeps already are not read. */
export const READ_LIMIT = 50 * 1024 * 1024;

/**
 * The text that stands in a tree for a file that is not read: its size and its time. A file that was touched
 * gets another name although its content is the same, so that a proof is asked for once too often rather
 * than not at all.
 */
export function placeholderText({ size, mtimeNs }: { size: bigint; mtimeNs: bigint }): string {
  return `ccw-loop: a file of ${size} bytes, last modified at ${mtimeNs} ns\n`;
}
