const CONTEXT = `
Loop: {{loop_id}} · {{title}}
State (read only): {{state_file}}
Progress documents (read only): {{progress_dir}}
{{project_files}}`;

export const INIT = `# ACTION: INIT
{{interrupted}}
Plan the work. Read what you need of the project, change nothing.
${CONTEXT}

The task:
{{description}}

Split it into 1 to 7 tasks that can be done one after the other, each one coherent change with a clear end.
A small task stays one task. Testing is not a task of its own unless the task asks for new tests.

state_updates: {"tasks": [{"description": "…"}]}
`;

export const DEVELOP = `# ACTION: DEVELOP {{task_id}}
{{interrupted}}
Do this one task, completely, in the project's own style.
${CONTEXT}

The whole task of the loop:
{{description}}

Your task now ({{task_id}}, {{task_number}} of {{task_total}}):
{{task}}
{{task_extra}}
{{knowledge}}
state_updates: {"summary": "what you changed and why, in a few sentences"}
`;

export const DEBUG = `# ACTION: DEBUG
{{interrupted}}
Find the cause of what fails, by evidence. Do not fix it in this action: a confirmed cause becomes a task.
${CONTEXT}

What fails:
{{failures}}

{{knowledge}}
State one to five hypotheses, the most likely first (likelihood 1). For each: what would have to be true, where
to look (file:function:line), what would confirm it and what would reject it. Then check them: read, run the
smallest command that decides, and keep what you saw as evidence. A verdict without evidence counts as
inconclusive. Leave no instrumentation behind. Do not propose again what was rejected.

state_updates: {"active_bug": "…", "understanding": "what you know now",
 "hypotheses": [{"id": "H1", "description": "…", "testable_condition": "…", "logging_point": "file:function:line",
   "evidence_criteria": {"confirm": "…", "reject": "…"}, "likelihood": 1,
   "status": "pending | confirmed | rejected | inconclusive", "evidence": [{"…": "…"}], "verdict_reason": "…"}],
 "confirmed_hypothesis": "H1 or null", "fix_tasks": [{"description": "the fix, one task"}]}
`;
