"""Child processes that never outlive us, a scratch folder that goes with us, free ports, and waiting for a condition.

A child is started in a session of its own (so that one signal reaches all of it) through setpriv, which asks the kernel to
signal it when this process dies. Start children from the main thread: the kernel watches the thread that forked.
"""
import atexit
import collections
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
DEPS = ROOT / ".deps"

# What was done to processes and connections, by name: "kill -9 postgres", "connections cut".
struck = collections.Counter()

_children = []
_scratch = None
_ports = set()


def scratch():
    """The folder of this run; other users may enter it (a PostgreSQL server refuses to run as root)."""
    global _scratch
    if _scratch is None:
        _scratch = pathlib.Path(tempfile.mkdtemp(prefix="postrider-"))
        _scratch.chmod(0o755)
    return _scratch


def new_folder(name):
    for number in range(1000):
        folder = scratch() / (name if number == 0 else f"{name}-{number}")
        try:
            folder.mkdir()
            return folder
        except FileExistsError:
            continue
    raise RuntimeError(f"a thousand folders named {name}")


def free_port():
    """A port that nobody listens on, and that this process has not given out before."""
    for _ in range(100):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        if port not in _ports:
            _ports.add(port)
            return port
    raise RuntimeError("no free port")


def wait_for(condition, timeout_s, what, interval_s=0.05):
    """Returns the first true value of condition(); TimeoutError naming `what` (text, or a function that gives it)."""
    deadline = time.monotonic() + timeout_s
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {timeout_s} s: {what() if callable(what) else what}")
        time.sleep(interval_s)


class Child:
    """One process. Its output goes to `log`; `user` is a user to change to where we are root."""

    def __init__(self, name, command, log, *, user=None, env=None, cwd=None, on_parent_death="KILL"):
        self.name, self.log = name, pathlib.Path(log)
        wrapper = ["setpriv", "--pdeathsig", on_parent_death]
        if user and os.geteuid() == 0:
            wrapper += ["--reuid", user, "--regid", user, "--init-groups"]
        with open(self.log, "ab") as output:
            self.started_at = time.time()
            self.process = subprocess.Popen(wrapper + [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=output,
                                            stderr=subprocess.STDOUT, env=env, cwd=cwd or scratch(), start_new_session=True)
        _children.append(self)

    @property
    def pid(self):
        return self.process.pid

    def running(self):
        return self.process.poll() is None

    def signal(self, number):
        """To the process alone."""
        if self.running():
            self.process.send_signal(number)

    def freeze(self):
        struck[f"SIGSTOP {self.name.split()[0]}"] += 1
        for pid in tree(self.pid):
            send(pid, signal.SIGSTOP)

    def thaw(self):
        for pid in tree(self.pid):
            send(pid, signal.SIGCONT)

    def kill9(self):
        """The whole tree at once, as when the machine goes away."""
        struck[f"kill -9 {self.name.split()[0]}"] += 1
        for pid in tree(self.pid):
            send(pid, signal.SIGKILL)
        self.process.wait(20)

    def wait(self, timeout_s):
        """The exit code; TimeoutError when it still runs."""
        try:
            return self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"{self.name} (pid {self.pid}) still runs after {timeout_s} s\n{self.tail()}") from None

    def output(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def tail(self, lines=25):
        return f"--- end of {self.log.name} ---\n" + "\n".join(self.output().splitlines()[-lines:])

    def cpu_s(self):
        return cpu_s(self.pid)

    def status_kb(self, field):
        """A line of /proc/PID/status in kB: VmRSS, VmHWM (the highest resident memory so far)."""
        for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1])
        raise KeyError(field)


def cpu_s(pid):
    """CPU seconds of a process so far, its threads included."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Background:
    """What a test does beside itself: run(), in a thread, from the block's beginning; it looks at `self.stopping`, which is set at the end."""

    def __enter__(self):
        self.stopping, self._thread = threading.Event(), threading.Thread(target=self.run, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        self._thread.join(20)


def send(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def tree(pid):
    """The process and all below it, parents first."""
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
    found = [pid]
    for candidate in found:
        found += [child for child, parent in parents.items() if parent == candidate]
    return found


def cleanup():
    """Ends every child and removes the scratch folder. Runs at exit; may run before."""
    global _scratch
    for child in reversed(_children):
        if child.running():
            child.kill9()
    _children.clear()
    if _scratch is not None:
        if os.environ.get("POSTRIDER_KEEP_SCRATCH"):
            print(f"kept: {_scratch}", file=sys.stderr)
        else:
            shutil.rmtree(_scratch, ignore_errors=True)
        _scratch = None


def _leave(number, _frame):
    sys.exit(128 + number)


atexit.register(cleanup)
for _number in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(_number, _leave)
