import { CONTEXT } from "./actions.ts";

const PROBES = `A probe is one shell command, run in the project folder by the orchestrator, not by you; command null runs the
project's own tests. The smallest one that decides is the best: it prints the value in question and ends within
two minutes. Before it is run, you state what it shows if the hypothesis holds (if_holds) and what if it does not
(if_not): conditions that are all met, compared with the exit code and the last 4,000 characters of stdout and stderr
  {"kind": "exit_code", "compare": "=", "value": 1}                      compare: < <= = != >= >
  {"kind": "text", "how": "is", "text": "849.15"}                        how: is, contains, lacks
  {"kind": "pattern", "pattern": "total=\\d+$", "found": true}
  {"kind": "number", "pattern": "total=(\\S+)", "compare": ">", "value": 849}
No outcome may meet both: give both the same kind of condition with other values. The orchestrator compares: the
hypothesis is confirmed if only if_holds is met, rejected if only if_not is met. A probe is run in an empty folder as
well; one that shows the same there asks nothing of the project. It is run again after the fix, without instrumentation,
and has to meet if_not then. So a probe that needs instrumentation can reject a hypothesis, but not confirm it.
You may put instrumentation into the files for it: whole lines only, every one of them with the
words ccw-probe in a comment; a file that is only for probing has ccw-probe in its name. All of that is removed
after the probes ran, so what is to stay is no instrumentation. Change nothing else: do not fix anything now.`;

const UPDATES = `state_updates: {"active_bug": "…", "understanding": "what you know now",
 "hypotheses": [{"id": "H1", "description": "…", "testable_condition": "…", "logging_point": "file:function:line",
   "evidence_criteria": {"confirm": "…", "reject": "…"}, "likelihood": 1, "explains": ["a failing test"],
   "probe": {"command": "… or null", "if_holds": [{"kind": "text", "how": "is", "text": "849.15"}],
     "if_not": [{"kind": "text", "how": "is", "text": "849"}]}}],
 "confirmed_hypothesis": "H1 or null", "fix_tasks": [{"description": "the fix, one task"}]}`;

export const DEBUG = `# ACTION: DEBUG
{{interrupted}}
Find the cause of what fails, by evidence. Do not fix it in this action: a confirmed cause becomes a task.
${CONTEXT}

What fails:
{{failures}}

{{knowledge}}{{standstill}}{{repeated}}
State one to five hypotheses, the most likely first (likelihood 1). For each: what would
have to be true, where to look (file:function:line), what would confirm it and what would reject it, which of the
failing tests it would explain, and the probe that decides.

${PROBES}

You are told what the probes showed and what it means by your predictions. What you saw yourself is no evidence. Do not
propose again what was rejected. For a cause that is confirmed and not settled: name it in confirmed_hypothesis with a
task that repairs the rest, or give it a better probe.

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
A confirmed cause needs its id in confirmed_hypothesis and one task that repairs it in fix_tasks. Where nothing is
confirmed: a better probe for what is inconclusive, or new hypotheses with probes.
Rounds of probes left: {{rounds_left}}. For what needs no probe any more, probe is null.

${PROBES}

${UPDATES}
`;

export const ASK_PROBE = `# ACTION: DEBUG PROBES
Your answer gives no probe that can be run, so nothing can be learnt.
{{repeated}}What fails:
{{failures}}

{{knowledge}}
State your hypotheses again, each with the probe that decides.

${PROBES}

${UPDATES}
`;
