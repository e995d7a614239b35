import { LoopState } from "@ccw-loop/core";
import { z } from "zod";

/** `{success: true, …}`; nothing else is in an answer than what is named here. */
export function success<S extends z.ZodRawShape>(shape: S) {
  return z.object({ success: z.literal(true), ...shape });
}

export const Message = z.string().describe("What was done, in a few words.");

/** Every answer that is no success. */
export const ErrorAnswer = z
  .object({
    success: z.literal(false),
    error: z.string().describe("One sentence for a person."),
    code: z.string().describe("For a program, for example `loop_not_found`."),
    hint: z.string().optional().describe("The next step, where `error` does not name it."),
    details: z
      .looseObject({ message: z.string().optional() })
      .optional()
      .describe("Data for programs; `message` is a fuller sentence where `error` is kept short."),
  })
  .meta({ id: "Error" });

export const LoopAnswer = success({ data: LoopState, message: Message.optional() }).meta({
  id: "LoopAnswer",
});

export const DoneAnswer = success({ message: Message }).meta({ id: "DoneAnswer" });
