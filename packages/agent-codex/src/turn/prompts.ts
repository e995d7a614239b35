/** For the new process of a conversation whose old one died in the middle of a turn. */
export function crashPrompt(prompt: string): string {
  return `The Codex process died in the middle of your previous turn. Part of its work may be done already: look at the working tree (git status, git diff) before you change anything, and do nothing twice. The task was:

${prompt}`;
}

/** For a turn that did some of its work before the model's side failed. */
export function continuationPrompt(reason: string, prompt: string): string {
  return `Your previous turn was cut off (${reason}). What it did is still there: look at the working tree before you change anything, and do nothing twice. Go on where it stopped. The task was:

${prompt}`;
}
