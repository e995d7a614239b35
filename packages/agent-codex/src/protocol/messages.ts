import { z } from "zod";

/** One line of the protocol: JSON-RPC without its version field. What is set says what kind it is. */
export const Message = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z
    .object({ code: z.number(), message: z.string(), data: z.unknown().optional() })
    .optional(),
});
export type Message = z.infer<typeof Message>;

export type RequestId = NonNullable<Message["id"]>;
export type RpcError = NonNullable<Message["error"]>;

/** What Codex wants to be told: an approval, mostly. */
export interface ServerRequest {
  method: string;
  params: unknown;
}

/** Our answer to a request of Codex. */
export type ServerAnswer = { result: unknown } | { error: { code: number; message: string } };
