/** The help of the whole program, 80 columns wide. Made by scripts/write-help.ts: do not edit. */
export const HELP = `Usage: ccw-loop [options] [command]

Drives one coding agent until the work is proven done.

Options:
  -V, --version                print the version
  --cwd <folder>               work in this folder instead of the current one
  --json                       print one JSON document instead of text
  --no-color                   print without colors
  --url <url>                  ask this control plane (ccw-loop serve) instead
                               of the files here
  --token-file <file>          its token, where it is not the user's own
  --insecure-http              send the token to another machine without TLS
  -h, --help                   print help

Work:
  run [options] [task]         start a loop for a task, or go on with one, and
                               drive it to its end
  resume [options] <id>        go on with a paused loop and drive it here
  watch [options] <id>         follow a loop that is driven elsewhere until it
                               ends
  tui [options]                watch and steer all loops on one screen
  demo                         see a whole loop in a temporary project, with a
                               scripted agent

Work on many:
  start [options] <task>       start a loop for a task and leave it to a
                               supervisor
  supervise [options]          drive every running loop of the project until
                               Ctrl-C; they stay running then

Serve:
  serve [options]              answer over HTTP, and drive the running loops,
                               until Ctrl-C

Look:
  list [options]               loops of this project, newest change first
  show [options] <id>          everything that matters about one loop
  why <id>                     what the loop would do next, and why
  logs [options] <id>          what the agent and the tests did and said

Prove, go back:
  receipt <id>                 print the newest receipt, sealed, as a file that
                               verify reads elsewhere
  verify [options] <receipt>   run the square again in clean rooms, and say
                               whether the proof stands
  timeline <id>                every action: what it changed, what the tests
                               said, what it used
  diff [options] <id> [range]  what changed between two checkpoints, as a patch
  rewind [options] <id> <n>    take files and loop back to a checkpoint
  fork [options] <id> <n>      begin a new loop at a checkpoint, in a worktree
                               of its own
  clean [options]              remove the worktrees of loops that have ended

Steer:
  pause [options] <id>         stop the running action; resume repeats it
  stop [options] <id>          end the loop for good
  exit <id>                    leave an interactive loop, to go on some other
                               time
  answer <id> <text>           answer the question that a loop waits for
  delete [options] <id>        remove a loop with everything that belongs to it
  recover [options] <id>       rebuild a damaged loop; shows what it would do
                               first
  tasks                        the tasks of a loop

Help:
  doctor [options]             check what a loop needs here, and say how to get
                               it
  config                       settings
  completion <shell>           print a script that completes commands, options
                               and loops
  help [command]               print help for a command

Exit codes: 0 completed and proven, 1 failed, 2 usage, 3 limit reached, 4 needs a person,
  5 agent or environment, 6 conflict, 7 not found, 75 waits for a usage limit, 130 interrupted
Data goes to stdout, everything else to stderr. Try it without an agent: ccw-loop demo
`;
