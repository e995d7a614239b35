/** What every action prompt begins with. */
export const CONTEXT = `
Loop: {{loop_id}} · {{title}}
State (read only): {{state_file}}
Progress documents (read only): {{progress_dir}}
{{project_files}}
{{baseline}}`;

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
{{knowledge}}{{standstill}}
state_updates: {"summary": "what you changed and why, in a few sentences"}
`;

export const GENERATE = `# ACTION: INIT
Think of tasks that are missing from a loop's list. Read what you need of the project, change nothing.
Loop: {{title}}

The whole task of the loop:
{{description}}

Its tasks up to now:
{{tasks}}

Name what is still needed for the whole task and is not in the list: tasks that can be done one after the other, each one
coherent change with a clear end. {{count}}

state_updates: {"tasks": [{"description": "…"}]}
`;
