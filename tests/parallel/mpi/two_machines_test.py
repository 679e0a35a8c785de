"""Training over two "machines": network namespaces with names and addresses of their own, joined by a virtual cable. The bytes are those of one process.

usage: two_machines_test.py    YONA_PROGRAM names the program (as in ctest)

Skipped where namespaces are not permitted, or mpirun, ip or libyona_mpi.so is not here.
"""

import importlib.util
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
path = Path(__file__).resolve().parent / "communicator_test.py"
spec = importlib.util.spec_from_file_location("communicator_test", path)
mpi = importlib.util.module_from_spec(spec)
spec.loader.exec_module(mpi)

MACHINES = [f"yona-{os.getpid()}-{letter}" for letter in "ab"]
CABLES = [f"yn{os.getpid() % 100000}{letter}" for letter in "ab"]
ADDRESSES = ["10.77.3.1", "10.77.3.2"]


def ip(*words):
    done = subprocess.run(["ip", *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise PermissionError(f"ip {' '.join(words)}: {done.stderr.strip()}")


def connect():
    for machine in MACHINES:
        ip("netns", "add", machine)
        ip("-n", machine, "link", "set", "lo", "up")
    ip("link", "add", CABLES[0], "netns", MACHINES[0], "type", "veth", "peer", "name", CABLES[1], "netns", MACHINES[1])
    for machine, cable, address in zip(MACHINES, CABLES, ADDRESSES):
        ip("-n", machine, "addr", "add", f"{address}/24", "dev", cable)
        ip("-n", machine, "link", "set", cable, "up")


def disconnect():
    for machine in MACHINES:
        subprocess.run(["ip", "netns", "del", machine], capture_output=True)


def write_agent(folder):
    """What mpirun starts in the place of ssh: AGENT ADDRESS COMMAND…"""
    agent = folder / "agent"
    cases = "".join(f"  {address}) machine={machine} ;;\n" for address, machine in zip(ADDRESSES, MACHINES))
    agent.write_text(f'#!/bin/sh\ncase $1 in\n{cases}esac\nshift\nexec ip netns exec "$machine" unshare -u sh -c "hostname $machine; $*"\n')
    agent.chmod(agent.stat().st_mode | stat.S_IXUSR)
    return agent


def main():
    if not shutil.which("mpirun") or not shutil.which("ip") or not (mpi.YONA.parent / "libyona_mpi.so").exists():
        print("skipped: mpirun, ip or libyona_mpi.so is not here")
        sys.exit(SKIPPED)
    try:
        connect()
        subprocess.run(["unshare", "-u", "hostname", "yona-test"], check=True, capture_output=True)
    except (PermissionError, subprocess.CalledProcessError) as reason:
        disconnect()
        print(f"skipped: network namespaces are not permitted here ({reason})")
        sys.exit(SKIPPED)
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            mpi.write_corpus(folder)
            words = ["--updates", "6", *mpi.settings("train.accumulate=2")]
            mpi.run(mpi.flags(folder, folder / "alone", *words))
            agent = write_agent(folder)
            mpi.MPIRUN = [agent, ADDRESSES[0], "mpirun", "--allow-run-as-root", "--bind-to", "none", "--host", ",".join(ADDRESSES),
                          "--mca", "plm_rsh_agent", agent, "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "10.77.3.0/24",
                          "--mca", "oob_tcp_if_include", "10.77.3.0/24"]
            names = subprocess.run([*map(str, mpi.MPIRUN), "-np", "2", "hostname"], capture_output=True, text=True, timeout=60).stdout.split()
            mpi.check(sorted(names) == MACHINES, f"not two machines: {names}")
            mpi.run(mpi.flags(folder, folder / "machines", *words), 2)
            mpi.check(mpi.state_of(folder / "machines") == mpi.state_of(folder / "alone"), "two machines have other bytes than one process")
    finally:
        disconnect()


if __name__ == "__main__":
    main()
