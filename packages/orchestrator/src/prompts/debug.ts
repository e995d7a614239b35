import { CONTEXT } from "./actions.ts";

const PROBES = `A probe is one shell command, run in the project folder by the orchestrator, not by you; command null runs the
project's own tests. The smallest one that decides is the best: it prints the value in question and ends within
two minutes. You may put instrumentation into the files for it: whole lines only, every one of them with the
words ccw-probe in a comment; a file that is only for probing has ccw-probe in its name. All of that is removed
after the probes ran, so what is to stay is no instrumentation. Change nothing else: do not fix anything now.`;

const UPDATES = `state_updates: {"active_bug": "…", "understanding": "what you know now",
 "hypotheses": [{"id": "H1", "description": "…", "testable_condition": "…", "logging_point": "file:function:line",
   "evidence_criteria": {"confirm": "…", "reject": "…"}, "likelihood": 1, "explains": ["a failing test"],
   "probe": {"command": "… or null", "prediction": "what it shows if the hypothesis holds"},
   "status": "pending | confirmed | rejected | inconclusive", "verdict_reason": "…"}],
 "confirmed_hypothesis": "H1 or null", "fix_tasks": [{"description": "the fix, one task"}]}`;

export const DEBUG = `# ACTION: DEBUG
{{interrupted}}
Find the cause of what fails, by evidence. Do not fix it in this action: a confirmed cause becomes a task.
${CONTEXT}

What fails:
{{failures}}

{{knowledge}}{{standstill}}{{repeated}}
State one to five hypotheses, the most likely first (likelihood 1), all with the status pending. For each: what would
have to be true, where to look (file:function:line), what would confirm it and what would reject it, which of the
failing tests it would explain, and the probe that decides.

${PROBES}

What the probes showed is told to you, and only then you judge. What you saw yourself is no evidence. Do not propose
again what was rejected.

${UPDATES}
`;

export const VERDICT = `# ACTION: DEBUG VERDICT
{{interrupted}}
The probes were run, and the instrumentation is out of the files again.
${CONTEXT}

What fails:
{{failures}}

What the probes showed:
{{evidence}}

{{knowledge}}{{repeated}}
Judge each of these hypotheses by this evidence alone: confirmed, rejected or inconclusive, with the reason in
verdict_reason. A confirmed cause needs its id in confirmed_hypothesis and one task that repairs it in fix_tasks.
Where the evidence does not decide: inconclusive, and a better probe. You may also state new hypotheses with probes.
Rounds of probes left: {{rounds_left}}. For what needs no probe any more, probe is null.

${PROBES}

${UPDATES}
`;

export const ASK_PROBE = `# ACTION: DEBUG PROBES
Your answer gives no probe that can be run, so nothing can be learnt. {{repeated}}
What fails:
{{failures}}

{{knowledge}}
State your hypotheses again, each with the probe that decides.

${PROBES}

${UPDATES}
`;
