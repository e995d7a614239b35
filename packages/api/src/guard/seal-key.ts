export type SealKey = ReturnType<typeof sealKey>;

/** A key that holders of the token alone can make, another one for each purpose: whoever learns it does not know the token. */
export async function sealKey(token: string, purpose: string) {
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const text = new TextEncoder().encode(`ccw-loop ${purpose}\n${token}`);
  const digest = await crypto.subtle.digest("SHA-256", text);
  return crypto.subtle.importKey("raw", digest, hmac, false, ["sign", "verify"]);
}
