import { type ChildProcess, spawn } from "node:child_process";
import type { Writable } from "node:stream";
import { LoopError } from "@ccw-loop/core";
import { thisProcess } from "./identity.ts";
import { ownerKey } from "./owner-tag.ts";
import { ticksNow } from "./process-table.ts";
import { signal } from "./terminate.ts";

/** So often in a row a guardian that was ended is replaced. */
const MOST_GUARDIANS = 5;
/** One that lived so long begins a new row. */
const LONG_LIFE_MS = 60_000;

interface Group {
  started: string;
  tag: string;
}

/**
 * Ends groups that nobody else can end any more: all of them when this process dies, however it ends, and those of a
 * lease when it is not renewed in time, be this process suspended or not. It is a small shell in a session of its own
 * that holds the other end of a pipe, is started with the first group, and does not keep this process alive.
 */
class Guardian {
  readonly #groups = new Map<number, Group>();
  /** When the processes of each lease end, in milliseconds of `performance.now()`. */
  readonly #leases = new Map<string, number>();
  #shell: ChildProcess | null = null;
  #started = 0;
  #startedAt = 0;

  /**
   * Must be there before the first child is, so that there is no child without it. Throws `internal` where guardians
   * are ended again and again.
   */
  ready(): void {
    if (this.#shell) return;
    if (performance.now() - this.#startedAt > LONG_LIFE_MS) this.#started = 0;
    if (this.#started >= MOST_GUARDIANS) {
      throw new LoopError(
        "internal",
        `The guardian of process ${process.pid}, a /bin/sh called ccw-loop-guardian, was ended ${MOST_GUARDIANS} times, ` +
          "so nothing is started that it could not end. Find out what ends it, then try again.",
      );
    }
    if (this.#startedAt === 0) process.once("exit", () => this.#killNow());
    this.#started += 1;
    this.#startedAt = performance.now();
    this.#shell = this.#start();
    for (const [pid, { started }] of this.#groups) this.#tell(`+ ${pid} ${started}`);
    for (const [lease, until] of this.#leases) this.#tellLease(lease, until);
  }

  watch(pid: number, group: Group): void {
    this.#groups.set(pid, group);
    this.#tell(`+ ${pid} ${group.started}`);
    for (const [lease, until] of this.#leases) {
      if (group.tag.startsWith(lease)) this.#tellLease(lease, until);
    }
  }

  forget(pid: number): void {
    if (this.#groups.delete(pid)) this.#tell(`- ${pid}`);
  }

  /** What has a tag that begins with `lease` lives until then, unless it is told again; null for as long as this process. */
  keepAlive(lease: string, until: number | null): void {
    if (until !== null) {
      this.#leases.set(lease, until);
      this.#tellLease(lease, until);
    } else if (this.#leases.delete(lease)) this.#tell(`/ ${lease}`);
  }

  /** Whether the time of the lease under which something with this tag would work is over. */
  isOver(tag: string): boolean {
    const now = performance.now();
    return [...this.#leases].some(([lease, until]) => tag.startsWith(lease) && until <= now);
  }

  #start(): ChildProcess {
    const key = ownerKey(thisProcess());
    const shell = spawn("/bin/sh", ["-c", GUARDIAN_SCRIPT, "ccw-loop-guardian", key], {
      cwd: "/",
      detached: true,
      env: { PATH: process.env.PATH || "/usr/bin:/bin" },
      stdio: ["pipe", "ignore", "ignore"],
    });
    shell.once("error", () => this.#gone(shell)).once("exit", () => this.#gone(shell));
    // Without streams where too many files are open.
    const stdin = shell.stdin as Writable | undefined;
    stdin?.on("error", () => undefined);
    shell.unref();
    if (stdin && "unref" in stdin && typeof stdin.unref === "function") stdin.unref();
    return shell;
  }

  #gone(shell: ChildProcess): void {
    if (this.#shell !== shell) return;
    this.#shell = null;
    // What it left behind knows nothing of later renewals.
    if (shell.pid !== undefined) signal(-shell.pid, "SIGKILL");
    if (this.#groups.size === 0) return;
    try {
      this.ready();
    } catch {
      this.#killNow();
    }
  }

  #tellLease(lease: string, until: number): void {
    // In this order: suspended in between, they have too little time, not too much.
    const now = ticksNow() ?? 0;
    const left = Math.floor((until - performance.now()) / 10);
    const groups = [...this.#groups].filter(([, { tag }]) => tag.startsWith(lease));
    const words = groups.map(([pid, { started }]) => `${pid}:${started}`);
    this.#tell(`= ${[lease, left, now, ...words].join(" ")}`);
  }

  #tell(line: string): void {
    this.#shell?.stdin?.write(`${line}\n`);
  }

  #killNow(): void {
    for (const pid of this.#groups.keys()) signal(-pid, "SIGKILL");
  }
}

/** One for this process, whoever starts processes in it. */
export const guardian = new Guardian();

/**
 * What the guardian does, for any POSIX shell. `$1` is what all tags of its owner begin with. On stdin it reads
 * `+ PID START` and `- PID` of groups, `= LEASE LEFT NOW PID:START...` of a lease and its groups, and `/ LEASE` of one
 * that was given back. LEASE is what the tags of its processes begin with, LEFT how many hundredths of a second they
 * may live, and NOW the first number of /proc/uptime when that was written.
 *
 * Its stdin ends with its owner: then it kills all groups and, where there is a /proc, whoever carries a tag of the
 * owner, with all descendants, until several looks in a row find nobody. When the time of a lease is over it does that
 * for the processes of this lease: by a subshell of its own, which is replaced with every renewal and does not need the
 * shell that reads.
 */
export const GUARDIAN_SCRIPT = `
trap '' HUP INT QUIT TERM PIPE
mark=$1 groups=' ' timers=' ' left='' line='' looks=0 tries=0

# Suspends $groups, so that nobody works on while the others are looked for, and puts them into $ours.
hold() {
  ours=' '
  for one in $groups; do
    pid=\${one%%:*} now=''
    { read -r now < "/proc/$pid/stat"; } 2>/dev/null
    set -- \${now##*\\) }
    # A leader of another start time: the number was given to somebody else.
    if [ -n "$now" ] && [ "\${20}" != "\${one#*:}" ]; then continue; fi
    kill -STOP "-$pid" && ours="$ours$pid "
  done
}

# Into $found: the pids of $ours, the marked ones, and their descendants. Into $family: "pid:parent" of all.
look() {
  found=' ' marked=' ' family=''
  for folder in $(grep -lsF -e "$mark" /proc/[0-9]*/environ); do
    pid=\${folder#/proc/}
    marked="$marked\${pid%%/*} "
  done
  for folder in /proc/[0-9]*; do
    pid=\${folder#/proc/} line=''
    { read -r line < "$folder/stat"; } 2>/dev/null
    set -- \${line##*\\) }
    case \${1:-Z} in Z|X) continue ;; esac
    family="$family$pid:$2 "
    case $marked in *" $pid "*) found="$found$pid "; continue ;; esac
    case $ours in *" $3 "*) found="$found$pid " ;; esac
  done
  before=''
  while [ "$before" != "$found" ]; do
    before=$found
    for one in $family; do
      case $found in
        *" \${one%%:*} "*) ;;
        *" \${one#*:} "*) found="$found\${one%%:*} " ;;
      esac
    done
  done
}

kill_all() {
  hold
  found=$ours
  [ ! -r /proc/self/stat ] || look
  for one in $ours; do kill -KILL "-$one"; done
  for pid in $found; do [ "$pid" = $$ ] || kill -KILL "$pid"; done
}

end_all() {
  while [ $tries -lt 200 ]; do
    tries=$((tries + 1))
    kill_all 2>/dev/null
    case $found in
      *[0-9]*) looks=0 ;;
      *) looks=$((looks + 1)) ;;
    esac
    [ $looks -lt 3 ] || break
    sleep "0.0$((1 + looks * 3))" 2>/dev/null || sleep 1
  done
}

# Ends the processes of lease $1, which has $2 hundredths of a second from moment $3, and the groups that follow.
end_at() {
  mark=$1 left=$2 now='' nap=''
  trap '[ -z "$nap" ] || kill -KILL "$nap"; exit' USR1
  { read -r now line < /proc/uptime; } 2>/dev/null
  [ -z "$now" ] || left=$((left + $3 - (\${now%.*} * 100 + 1\${now#*.} - 100)))
  shift 3
  groups=" $* "
  for time in "$((left / 100)).$((left / 10 % 10))$((left % 10))" $((left / 100)); do
    [ "$left" -gt 0 ] || break
    sleep "$time" & nap=$!
    wait "$nap"
    # One that takes whole seconds only.
    [ $? = 1 ] || break
  done
  trap '' USR1
  end_all
}

stop_timer() {
  left=' '
  for one in $timers; do
    if [ "\${one%=*}" != "$1" ]; then left="$left$one "; continue; fi
    kill -USR1 "\${one##*=}" 2>/dev/null
    wait "\${one##*=}"
  done
  timers=$left
}

while read -r what name rest; do
  case $what in
    +) groups="$groups$name:$rest " ;;
    -)
      left=' '
      for one in $groups; do [ "\${one%%:*}" = "$name" ] || left="$left$one "; done
      groups=$left
      ;;
    =)
      stop_timer "$name"
      # The rest are several words.
      end_at "$name" $rest &
      timers="$timers$name=$! "
      ;;
    /) stop_timer "$name" ;;
  esac
done

end_all
# Timers, and this shell itself.
kill -KILL "-$$"
`;
