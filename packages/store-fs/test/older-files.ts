export const ID = "loop-v2-20260122-abc123";

/** As the dashboard of 2026 made a loop. */
export const CREATED = {
  loop_id: ID,
  title: "Implement user authentication",
  description: "Add login/logout functionality",
  max_iterations: 10,
  status: "created",
  current_iteration: 0,
  created_at: "2026-01-22T10:00:00+08:00",
  updated_at: "2026-01-22T10:00:00+08:00",
};

/** The same after its skill had worked on it, in the spelling of the first one. */
export const WORKED_ON = {
  ...CREATED,
  status: "paused",
  current_iteration: 2,
  prep_source: { tool: "manual" },
  skill_state: {
    current_action: "paused",
    last_action: "action-develop-with-file",
    completed_actions: ["action-init", "action-develop-with-file"],
    mode: "auto",
    develop: {
      total: 2,
      completed: 1,
      current_task: null,
      tasks: [
        { id: "task-001", description: "Create auth component", status: "completed" },
        { id: "task-002", description: "Write its tests", status: "pending", priority: 1 },
      ],
      last_progress_at: "2026-01-22T10:20:00+08:00",
    },
    debug: { active_bug: null, hypotheses_count: 0, hypotheses: [], confirmed_hypothesis: null },
    validate: { pass_rate: 0, coverage: 0, test_results: [], passed: false, failed_tests: [] },
    errors: [],
  },
};

/** The oldest one: a folder per session, other names, no `skill_state`. */
export const SESSION = {
  session_id: "LOOP-auth-2026-01-22",
  task_description: "Implement user authentication",
  status: "running",
  initialized: true,
  iteration_count: 3,
  created_at: "2026-01-22T10:00:00+08:00",
  updated_at: "2026-01-22T11:00:00+08:00",
  mode: "interactive",
  last_action: "action-debug-with-file",
  completed_actions: ["action-init"],
  develop: {
    total_count: 1,
    completed_count: 0,
    current_task_id: "task-001",
    tasks: [{ id: "task-001", description: "Create auth component", status: "pending" }],
  },
  debug: { current_bug: "Login fails", hypotheses: [], iteration: 1 },
  validate: { passed: false, test_results: [] },
  context: { branch: "main" },
};

export const taskLine = (id: string) => ({
  task_id: id,
  description: `Do ${id}`,
  tool: "gemini",
  mode: "write",
  prompt_template: "p",
  order: 0,
  created_at: "2026-01-22T02:00:00.000Z",
  updated_at: "2026-01-22T02:00:00.000Z",
  on_error: "pause",
});
