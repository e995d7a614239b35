import { Limits, LoopCommand, LoopEdit, LoopStatus, Settings, TaskEdit } from "@ccw-loop/core";
import { z } from "zod";
import { DoneAnswer, exact, ONE_LOOP, operations } from "./operation.ts";

export const Changes = exact({
  ...LoopEdit.shape,
  limits: exact(Limits.shape).optional(),
  settings: exact(Settings.shape).optional(),
});

const CHANGES: Readonly<Record<string, z.ZodRawShape>> = {
  resume: { changes: Changes.optional() },
  edit: { changes: Changes },
  edit_task: { changes: exact(TaskEdit.shape) },
};

/** The commands of core, without names that they do not know. */
const Command = z.discriminatedUnion(
  "type",
  LoopCommand.options.map(({ shape }) =>
    exact({ ...shape, ...CHANGES[shape.type.value] }),
  ) as unknown as typeof LoopCommand.options,
);

const base = "/api/loops/v2/:id";
const command = { ...ONE_LOOP, method: "post" } as const;

const STATUS = "status is required";

const Reason = exact({ reason: z.string().optional() });

const CHOSEN = {
  develop: { type: "choose", action: "DEVELOP" },
  debug: { type: "choose", action: "DEBUG" },
  validate: { type: "choose", action: "VALIDATE" },
  complete: { type: "choose", action: "COMPLETE" },
  exit: { type: "exit" },
} as const satisfies Record<string, LoopCommand>;

const EITHER = "Send either an answer or a choice.";

/** Is read as the command that it gives. */
const Input = exact(
  {
    answer: z.string().optional(),
    option: z
      .string()
      .optional()
      .describe(
        "The option that the answer is given under, where the options of the question take a text.",
      ),
    choice: z.enum(["develop", "debug", "validate", "complete", "exit"]).optional(),
  },
  EITHER,
)
  .refine(({ answer, choice }) => (answer === undefined) !== (choice === undefined), EITHER)
  .refine(({ choice, option }) => choice === undefined || option === undefined, EITHER)
  .transform(({ answer = "", choice, option }): LoopCommand => {
    if (choice !== undefined) return CHOSEN[choice];
    return { type: "answer", text: answer, ...(option === undefined ? {} : { option }) };
  });

export const COMMANDS = operations("Commands", {
  patchStatus: {
    ...ONE_LOOP,
    method: "patch",
    path: `${base}/status`,
    summary: "Wish a status: the command that leads there is given",
    description:
      "`running` starts or resumes, `paused` pauses, `failed` stops, `user_exit` exits. `created` and `completed` cannot be wished.",
    body: exact(
      {
        status: z
          .string(STATUS)
          .min(1, STATUS)
          .meta({ enum: LoopStatus.options })
          .pipe(z.enum(LoopStatus.options, { error: ({ input }) => `Invalid status: ${input}` })),
      },
      STATUS,
    ),
    example: { params: { id: "fresh-start" }, body: { status: "running" } },
  },
  startLoop: {
    ...command,
    path: `${base}/start`,
    summary: "Start a loop",
    example: { params: { id: "fresh-start" } },
  },
  pauseLoop: {
    ...command,
    path: `${base}/pause`,
    summary: "Pause a loop; a running turn of its agent ends at once",
    body: Reason,
    example: { params: { id: "night-shift" }, body: { reason: "Lunch" } },
  },
  resumeLoop: {
    ...command,
    path: `${base}/resume`,
    failures: [503],
    summary: "Resume a loop",
    body: exact({
      reopen: z
        .boolean()
        .optional()
        .describe("Also from `failed` and `completed`, with a higher bound or more work."),
      changes: Changes.optional(),
      now: z.boolean().optional().describe("Try a usage limit at once."),
    }),
    example: { params: { id: "lunch-break" } },
  },
  stopLoop: {
    ...command,
    path: `${base}/stop`,
    summary: "Stop a loop: it ends as `failed` with the code `stopped_by_user`",
    body: Reason,
    example: { params: { id: "night-shift" } },
  },
  sendCommand: {
    ...command,
    path: `${base}/commands`,
    failures: [503],
    summary: "Give any command",
    body: Command.meta({ id: "LoopCommand" }),
    example: {
      params: { id: "fresh-start" },
      body: { type: "edit", changes: { notes: "Mind the VAT" } },
    },
  },
  sendInput: {
    ...command,
    path: `${base}/input`,
    summary: "Answer what a loop waits for, or choose from its menu",
    body: Input,
    example: { params: { id: "needs-you" }, body: { answer: "Use the new tax table" } },
  },
  steerLoop: {
    method: "post",
    path: `${base}/steer`,
    summary: "Say something to the agent in the middle of its turn",
    body: exact({ text: z.string("text is required").trim().min(1, "text is required") }),
    answer: { json: DoneAnswer },
    example: { params: { id: "night-shift" }, body: { text: "Mind the rounding" } },
  },
});
