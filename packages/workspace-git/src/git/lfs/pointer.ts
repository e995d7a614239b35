/** What git-lfs keeps in place of a file; its specification: git-lfs, docs/spec.md. */
export interface Pointer {
  /** SHA-256 of the content. */
  oid: string;
  /** Bytes of the content. */
  size: number;
}

/** The driver that git-lfs calls itself. */
export const LFS = "lfs";
const VERSION = "version https://git-lfs.github.com/spec/v1";
export const LONGEST = 1024;

export function parsePointer(text: string): Pointer | null {
  if (text.length > LONGEST || !text.startsWith(`${VERSION}\n`)) return null;
  const oid = /^oid sha256:([0-9a-f]{64})$/m.exec(text)?.[1];
  const size = /^size (\d+)$/m.exec(text)?.[1];
  return oid === undefined || size === undefined ? null : { oid, size: Number(size) };
}

export function pointerText({ oid, size }: Pointer): string {
  return `${VERSION}\noid sha256:${oid}\nsize ${size}\n`;
}
