#!/usr/bin/env bash
# A SLURM of one machine, for tests: `slurm.sh start FOLDER` and `slurm.sh stop FOLDER`. As root.
#
# Debian's own packages, a controller and a node daemon, no accounting. Everything but the
# configuration lies in FOLDER; that must be /etc/slurm/slurm.conf, for jobs do not find another.
# A /etc/slurm/slurm.conf that this script did not write is left alone, and nothing is started.
set -euo pipefail

CONF=/etc/slurm/slurm.conf
MARK="# Written by tests/slurm/slurm.sh"

usage() {
  sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

[ $# -eq 2 ] || usage
action=$1
folder=$(realpath -m "$2")

fail() {
  echo "slurm.sh: $1" >&2
  exit 1
}

ours() {
  [ -e "$CONF" ] && head -1 "$CONF" | grep -qF "$MARK"
}

# ID of a daemon that this script started in FOLDER, if it still runs.
running() {
  local id
  id=$(cat "$folder/$1.pid" 2>/dev/null) && [ "$(cat "/proc/$id/comm" 2>/dev/null)" = "$1" ] && echo "$id"
}

stop() {
  local daemon id
  # munged goes last, since the others sign with it.
  if [ -n "$(running slurmctld)" ]; then
    timeout 20 scancel --user="$(id -un)" 2>/dev/null || true
    # Only the daemon of a job's step can end it, and only the node's daemon that one.
    for _ in $(seq 40); do
      [ -n "$(timeout 5 squeue --noheader 2>/dev/null)" ] || break
      sleep 0.5
    done
  fi
  for daemon in slurmctld slurmd munged; do
    id=$(running "$daemon") || continue
    kill "$id" 2>/dev/null || true
    for _ in $(seq 100); do
      [ -d "/proc/$id" ] || break
      sleep 0.1
    done
    if [ -d "/proc/$id" ]; then kill -9 "$id"; fi
  done
  if ours; then rm -f "$CONF"; fi
}

start() {
  [ "$(id -u)" = 0 ] || fail "must be root, as in a container"
  if [ -e "$CONF" ] && ! ours; then fail "$CONF is not this script's; this machine has a SLURM already"; fi
  if ours; then # of a test that was killed
    (folder=$(sed -n 's#^StateSaveLocation=\(.*\)/state$#\1#p' "$CONF") && stop)
  fi
  if grep -qsxE 'slurmctld|slurmd' /proc/[0-9]*/comm; then fail "another SLURM runs here"; fi
  local program
  for program in slurmctld slurmd munged; do
    command -v "$program" >/dev/null || fail "no $program here: apt-get install slurm-wlm munge"
  done
  rm -rf "$folder"
  mkdir -p "$folder"/{state,spool} /etc/slurm
  local host cpus memory
  host=$(hostname -s)
  # nproc counts threads where OMP_NUM_THREADS is set, as in the tests.
  cpus=$(env -u OMP_NUM_THREADS nproc)
  memory=$(($(awk '/MemTotal/ {print $2}' /proc/meminfo) / 1024 * 9 / 10))
  cat >"$CONF" <<EOF
$MARK
ClusterName=wsd
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
# Neither control groups nor systemd: processes are found by their parents.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
# Memory is looked at every second, shared pages counted once; what takes more than it asked for is killed.
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=UsePss,OverMemoryKill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
# One line per job that ended, since no accounting keeps them.
JobCompType=jobcomp/filetxt
JobCompLoc=$folder/jobs.txt
# squeue knows a job for so many seconds after its end.
MinJobAge=3600
MpiDefault=none
ReturnToService=2
# Seconds between asking a job to end and ending it.
KillWait=2
SchedulerParameters=sched_interval=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cpus RealMemory=$memory State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP
EOF
  # munged insists on a key that only its own user reads.
  dd if=/dev/urandom of="$folder/munge.key" bs=1024 count=1 status=none
  chmod 400 "$folder/munge.key"
  munged --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
    --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" --seed-file="$folder/munge.seed" --force
  slurmctld
  slurmd -N "$host"
  for _ in $(seq 60); do
    if [ "$(sinfo --noheader --format=%T 2>/dev/null)" = idle ]; then
      echo "$(sinfo --version) on $host: $cpus CPUs, $memory MB"
      return
    fi
    sleep 0.5
  done
  tail -n 20 "$folder"/*.log >&2
  stop
  fail "the node did not become idle within 30 s; the daemons' last words are above"
}

case $action in
  start) start ;;
  stop) stop ;;
  *) usage ;;
esac
