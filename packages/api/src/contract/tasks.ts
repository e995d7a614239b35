import { OnError, TaskLine, TaskMode, TaskTool } from "@ccw-loop/core";
import { z } from "zod";
import { DoneAnswer, dataAnswer, exact, Message, operations, success } from "./operation.ts";

const base = "/api/loops/v2";
const MISSING = { task_not_found: "Task not found" };

const TaskAnswer = success({ data: TaskLine }).meta({ id: "TaskAnswer" });
const AddedTasks = success({ data: z.array(TaskLine), message: Message }).meta({
  id: "AddedTasks",
});

const required = (name: string) =>
  z.string(`${name} is required`).trim().min(1, `${name} is required`);
/** Told apart in two steps, so the document has to be told the values. */
const oneOf = <T extends readonly string[]>(name: string, text: string, values: T) =>
  required(name)
    .meta({ enum: [...values] })
    .pipe(z.enum(values, `${name} must be one of${text}: ${values.join(", ")}`));

const TaskFields = exact(
  {
    description: required("description"),
    tool: oneOf("tool", " enabled tools", TaskTool.options),
    mode: oneOf("mode", "", TaskMode.options),
    prompt_template: required("prompt_template"),
    command: z.string("command must be a string").optional(),
    on_error: z
      .enum(OnError.options, `on_error must be one of: ${OnError.options.join(", ")}`)
      .optional(),
  },
  "description is required",
);

const LOOP_ID = "loop_id is required";
const loopId = z.string(LOOP_ID).min(1, LOOP_ID);

const IN_QUERY = "loop_id query parameter is required";

const ARRAY = "ordered_task_ids must be an array";

export const TASKS = operations("Tasks", {
  addTask: {
    method: "post",
    path: `${base}/:id/tasks`,
    summary: "Add a task behind the others",
    body: TaskFields.meta({ id: "NewTask" }),
    answer: { json: TaskAnswer },
    example: {
      params: { id: "fresh-start" },
      body: {
        description: "Round once",
        tool: "codex",
        mode: "write",
        prompt_template: "Round once",
      },
    },
  },
  listTasks: {
    method: "get",
    path: `${base}/:id/tasks`,
    summary: "The tasks of a loop in their order",
    answer: {
      json: success({
        data: z.array(TaskLine),
        total: z.int(),
        loop_id: z.string(),
        timestamp: z.string(),
      }),
    },
    example: { params: { id: "fresh-start" } },
  },
  reorderTasks: {
    method: "put",
    path: `${base}/:id/tasks/reorder`,
    summary: "Put tasks into another order; those that are not named follow",
    body: exact(
      { ordered_task_ids: z.array(z.string(), ARRAY).min(1, "ordered_task_ids cannot be empty") },
      ARRAY,
    ),
    answer: dataAnswer(z.array(TaskLine)),
    example: { params: { id: "fresh-start" }, body: { ordered_task_ids: ["task-2", "task-1"] } },
  },
  importTasks: {
    method: "post",
    path: `${base}/:id/import`,
    summary: "Add the tasks of an issue's solution",
    body: exact({ issue_id: required("issue_id") }, "issue_id is required"),
    answer: { json: AddedTasks },
    example: { params: { id: "fresh-start" }, body: { issue_id: "ISS-1" } },
  },
  generateTasks: {
    method: "post",
    path: `${base}/:id/generate`,
    failures: [502, 503, 504],
    slow: true,
    summary: "Have the loop's agent think of tasks, and add them",
    body: exact({
      count: z.int().min(1).max(100).optional(),
      tool: z.string().optional().describe("Has no effect: the loop's own agent is asked."),
    }),
    answer: { json: AddedTasks },
    example: { params: { id: "fresh-start" }, body: { count: 2 } },
  },
  getTask: {
    method: "get",
    path: `${base}/tasks/:taskId`,
    summary: "One task of any loop",
    description:
      "One whose id is a word of the loops' own paths, such as `why`, is found among the tasks of its loop.",
    query: exact({ loop_id: loopId.optional().describe("Saves looking through all loops.") }),
    answer: {
      json: success({ data: TaskLine.extend({ loop_id: z.string() }), timestamp: z.string() }),
    },
    texts: MISSING,
    example: { params: { taskId: "task-1" } },
  },
  updateTask: {
    method: "put",
    path: `${base}/tasks/:taskId`,
    summary: "Change a task",
    body: exact({ loop_id: loopId, ...TaskFields.partial().shape }, LOOP_ID),
    answer: { json: TaskAnswer },
    texts: MISSING,
    example: {
      params: { taskId: "task-1" },
      body: { loop_id: "fresh-start", description: "Round once, at the end" },
    },
  },
  deleteTask: {
    method: "delete",
    path: `${base}/tasks/:taskId`,
    summary: "Delete a task",
    query: exact({ loop_id: z.string(IN_QUERY).min(1, IN_QUERY) }),
    answer: { json: DoneAnswer },
    texts: MISSING,
    example: { params: { taskId: "task-1" }, query: { loop_id: "fresh-start" } },
  },
});
