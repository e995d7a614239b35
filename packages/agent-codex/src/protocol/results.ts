import { z } from "zod";

/** Answers to our requests; the fields that we read. */
export const Nothing = z.looseObject({});

export const Account = z.object({
  account: z.looseObject({ type: z.string() }).nullish(),
  requiresOpenaiAuth: z.boolean().default(false),
});

export const ThreadOpened = z.object({ thread: z.object({ id: z.string() }) });

export const TurnStarted = z.object({ turn: z.object({ id: z.string() }) });

export const CommandRun = z.object({
  exitCode: z.number(),
  stdout: z.string().default(""),
  stderr: z.string().default(""),
});
