#!/bin/bash
#SBATCH --job-name=csuite
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --time=04:00:00
# Usage: sbatch slurm.sh build recipes/ours.yaml --out /shared/suites/ours
# /shared is a folder that all nodes see. A job that runs out of time is submitted again, and goes on where it was.
set -euo pipefail
port=$((20000 + SLURM_JOB_ID % 10000))  # two jobs may share a node
export RAY_AUTH_MODE=token RAY_AUTH_TOKEN
RAY_AUTH_TOKEN=$(python3 -c 'import secrets; print(secrets.token_hex(32))')
head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
address=$(srun --nodes=1 --ntasks=1 --nodelist="$head" hostname -I | awk '{print $1}'):$port
srun --nodes=1 --ntasks=1 --nodelist="$head" ray start --head --port=$port --num-cpus="$SLURM_CPUS_PER_TASK" --block &
for _ in $(seq 120); do (: < "/dev/tcp/${address%:*}/$port") 2> /dev/null && break; sleep 1; done
if [ "$SLURM_JOB_NUM_NODES" -gt 1 ]; then
  srun --nodes=$((SLURM_JOB_NUM_NODES - 1)) --ntasks=$((SLURM_JOB_NUM_NODES - 1)) --exclude="$head" \
    ray start --address="$address" --num-cpus="$SLURM_CPUS_PER_TASK" --block &
fi
csuite "$@" --engine ray --address "$address"
