import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const PURPOSE = "ccw-loop hidden text";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * A text that a state file may hold and no agent can read: enciphered with the key that receipts are sealed with, which lies
 * outside of every project. Base64 of the nonce, the tag and the cipher.
 */
export function hideText(text: string, key: Uint8Array): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, cipherKey(key), iv);
  const hidden = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), hidden]).toString("base64");
}

/** Null for one that was hidden with another key, or edited. */
export function revealText(hidden: string, key: Uint8Array): string | null {
  const bytes = Buffer.from(hidden, "base64");
  const tagEnd = IV_BYTES + TAG_BYTES;
  if (bytes.length < tagEnd) return null;
  const cipher = createDecipheriv(ALGORITHM, cipherKey(key), bytes.subarray(0, IV_BYTES));
  cipher.setAuthTag(bytes.subarray(IV_BYTES, tagEnd));
  try {
    return Buffer.concat([cipher.update(bytes.subarray(tagEnd)), cipher.final()]).toString("utf8");
  } catch {
    return null;
  }
}

/** Another key than that of the seals, which it does not tell. */
function cipherKey(key: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", key, "", PURPOSE, 32));
}
