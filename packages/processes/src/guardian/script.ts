/**
 * What the guardian does, for any POSIX shell. `$1` is what all marks of its owner begin with; on stdin it hears
 * `+ PID START` and `- PID` of groups. Its stdin ends with its owner: then it kills those groups and, where there is a
 * /proc, whoever carries a mark of the owner, with all descendants, until several looks in a row find nobody.
 */
export const GUARDIAN_SCRIPT = `
trap '' HUP INT QUIT TERM PIPE
mark=$1 groups=' ' left='' line='' looks=0 tries=0
while read -r what pid start; do
  if [ "$what" = + ]; then groups="$groups$pid:$start "; continue; fi
  left=' '
  for one in $groups; do [ "\${one%%:*}" = "$pid" ] || left="$left$one "; done
  groups=$left
done

# Into $found: our groups' pids, the marked ones, and their descendants. Into $family: "pid:parent" of all.
look() {
  found=' ' marked=' ' family='' ours=' '
  for one in $groups; do
    pid=\${one%%:*} now=''
    { read -r now < "/proc/$pid/stat"; } 2>/dev/null
    set -- \${now##*) }
    # A leader of another start time: the number was given to somebody else.
    if [ -z "$now" ] || [ "\${20}" = "\${one#*:}" ]; then ours="$ours$pid "; fi
  done
  for folder in $(grep -lsF -e "$mark" /proc/[0-9]*/environ); do
    pid=\${folder#/proc/}
    marked="$marked\${pid%%/*} "
  done
  for folder in /proc/[0-9]*; do
    pid=\${folder#/proc/} line=''
    { read -r line < "$folder/stat"; } 2>/dev/null
    set -- \${line##*) }
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
  if [ ! -r /proc/self/stat ]; then
    found=' '
    for one in $groups; do kill -KILL "-\${one%%:*}" && found="$found$one "; done
    return
  fi
  look
  for one in $ours; do kill -KILL "-$one"; done
  for pid in $found; do [ "$pid" = $$ ] || kill -KILL "$pid"; done
}

while [ $looks -lt 3 ] && [ $tries -lt 200 ]; do
  tries=$((tries + 1))
  kill_all 2>/dev/null
  case $found in
    *[0-9]*) looks=0 ;;
    *) looks=$((looks + 1)) ;;
  esac
  sleep "0.0$((1 + looks * 3))" 2>/dev/null || sleep 1
done
`;
