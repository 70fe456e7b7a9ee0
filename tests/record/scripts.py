"""Small scripts without a framework, each with something that a recorder could get wrong."""

from __future__ import annotations

from gradviz.document.run_request import Target

SCRIPTS = {
    "names of __main__": """
import sys
print(list(globals()), __name__, __spec__, __doc__, __package__, type(__builtins__), type(__loader__).__name__)
print(sys.modules["__main__"].__dict__ is globals(), sys.argv, sys.path[0] == __file__.rpartition("/")[0])
print([name for name in sys.modules if name.startswith("multiprocessing")], sys.flags.interactive)
print(getattr(sys, "orig_argv", [])[1:], sorted(__import__("os").environ))
""",
    "an error with a cause": """
def inner():
    return {}["key"]
def outer():
    try:
        inner()
    except KeyError as error:
        raise ValueError("outer") from error
outer()
""",
    "a group of errors 3.11": """
try:
    raise KeyError("one")
except KeyError as error:
    raise ExceptionGroup("several", [error, ValueError(2)])
""",
    "an error of its own class": """
class Mine(Exception):
    def __str__(self):
        return "words"
raise Mine()
""",
    "an error whose words fail": """
class Mine(Exception):
    def __str__(self):
        raise RuntimeError
raise Mine()
""",
    "exit with a number": "import sys\nsys.exit(3)\n",
    "exit with words": "import sys, atexit\natexit.register(print, 'bye')\nsys.exit('a reason')\n",
    "exit with nothing": "raise SystemExit\n",
    "exit at once": "import os\nprint('lost with the buffer')\nos._exit(7)\n",
    "killed by a signal": "import os, signal\nprint('hi', flush=True)\nos.kill(os.getpid(), signal.SIGTERM)\n",
    "a segmentation fault": "import os, signal\nprint('hi', flush=True)\nos.kill(os.getpid(), signal.SIGSEGV)\n",
    "interrupted": """
import atexit, sys
atexit.register(lambda: print(sys.excepthook is sys.__excepthook__, sys.last_type.__name__, "__file__" in globals()))
def work():
    raise KeyboardInterrupt
work()
""",
    "a signal handler": """
import os, signal
signal.signal(signal.SIGINT, lambda *_: print("handled"))
os.kill(os.getpid(), signal.SIGINT)
print(signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGPIPE))
""",
    "a hook of its own": """
import sys, traceback
def hook(kind, error, tb):
    print("mine:", kind.__name__, [frame.name for frame in traceback.extract_tb(tb)])
sys.excepthook = hook
def work():
    1 / 0
work()
""",
    "a hook that fails": """
import sys
def hook(*_):
    {}["nothing"]
sys.excepthook = hook
raise ValueError("first")
""",
    "a hook that exits": """
import sys
sys.excepthook = lambda *_: sys.exit(5)
raise ValueError("first")
""",
    "no hook at all": "import sys\ndel sys.excepthook\nraise ValueError('x')\n",
    "atexit in order": """
import atexit
for number in range(3):
    atexit.register(print, number)
def fails():
    raise OSError("at the end")
atexit.register(fails)
""",
    "recursion": """
def deeper(n):
    return deeper(n + 1)
def depth(n=0):
    try:
        return depth(n + 1)
    except RecursionError:
        return n
print(depth())
deeper(0)
""",
    "warnings of all kinds": """
import warnings
text = "\\d"
if text is "d":
    pass
for _ in range(2):
    warnings.warn("twice here, once shown")
warnings.warn("level two", stacklevel=2)
warnings.warn("level three", stacklevel=3)
def old():
    warnings.warn("old", DeprecationWarning, stacklevel=2)
old()
old()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    old()
    print([(each.filename == __file__, each.lineno, str(each.message)) for each in caught])
open(__file__)
warnings.simplefilter("error")
warnings.warn("now an error")
""",
    "threads": """
import logging, threading, traceback
def fails():
    raise ValueError("in a thread")
thread = threading.Thread(target=fails, name="first")
thread.start()
thread.join()
print(threading.active_count(), threading.current_thread().name)
threading.excepthook = lambda args: print("mine:", args.exc_type.__name__, args.thread.name)
thread = threading.Thread(target=fails, name="second")
thread.start()
thread.join()
try:
    fails()
except ValueError:
    logging.exception("logged")
    traceback.print_exc()
def late():
    import time
    time.sleep(0.2)
    print("after the main thread")
threading.Thread(target=late).start()
""",
    "processes": """
import multiprocessing, os, pickle, sys
class Point:
    def __init__(self):
        self.x = 3
def work(queue):
    queue.put((Point(), __name__, sys.argv))
def fails():
    1 / 0
if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        queue = context.Queue()
        process = context.Process(target=work, args=(queue,))
        process.start()
        point, name, argv = queue.get()
        process.join()
        print(method, point.x, name, argv, process.exitcode)
        process = context.Process(target=fails, name="failing")
        process.start()
        process.join()
        print(process.exitcode, flush=True)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(abs, [-1, 2]))
    print(pickle.loads(pickle.dumps(Point())).x)
""",
    "a fork by hand": """
import os, sys
print("before", flush=True)
child = os.fork()
if child == 0:
    raise RuntimeError("in the child")
print(os.waitpid(child, 0)[1])
child = os.fork()
if child == 0:
    sys.exit(4)
print(os.waitpid(child, 0)[1])
""",
    "another program": """
import subprocess, sys
command = [sys.executable, "-c", "import sys; print(sys.argv, 'gradviz' in sys.modules)"]
print(subprocess.run(command, capture_output=True).stdout)
""",
    "replaced by another program": """
import os, sys
print("going", flush=True)
os.execv(sys.executable, [sys.executable, "-c", "import sys; sys.exit(9)"])
""",
    "standard input": """
import sys
name = input("name? ")
print("got", name, sys.stdin.isatty(), sys.stdin.read())
""",
    "a missing module": "import nothing_of_this_name\n",
    "a relative import": "from . import neighbour\n",
    "a syntax error": "def f(:\n    pass\n",
    "a missing bracket": "x = (1,\ny = 2\n",
    "tabs and spaces": "if 1:\n    print(1)\n\tprint(2)\n",
    "an error while deleting": """
class Thing:
    def __del__(self):
        raise OSError("while deleting")
thing = Thing()
del thing
""",
    "random numbers": """
import random
random.seed(7)
print(random.random(), hash("text"))
""",
    "the working folder": "import os\nos.chdir('/')\nprint(os.getcwd())\n1 / 0\n",
}

BYTES = {
    "gbk": b'# -*- coding: gbk -*-\nprint("\xd6\xd0\xce\xc4")\n1/0\n',
    "latin-1": b'# -*- coding: latin-1 -*-\nprint(ascii("\xe9"))\n',
    "latin-1 without a word": b"print(1)\n# caf\xe9\n",
    "an unknown encoding": b"# -*- coding: foo -*-\nprint(1)\n",
    "not what it says": b"# -*- coding: ascii -*-\nx = '\xe9'\n",
    "a byte order mark": b'\xef\xbb\xbfprint("bom")\n',
    "a null byte": b"print(1)\n\0",
    "windows line ends": b"print(1)\r\nprint(2)\r\n1/0\r\n",
    "no last line end": b"print(1)",
    "empty": b"",
    "binary": bytes(range(256)),
}

FOLDERS = {
    "names of standard modules": (
        Target("script", "main.py"),
        {
            "main.py": "import random, queue, json\nprint(random.mine, queue.mine, hasattr(json, 'dumps'))\n",
            "random.py": "mine = 'my random'\nprint('random loads')\n",
            "queue.py": "mine = 'my queue'\n",
        },
    ),
    "a name that others of the library import": (
        Target("script", "main.py"),
        {"main.py": "import tempfile\n", "random.py": "def seed_all(n): pass\n"},
    ),
    "such a name, and the framework": (
        Target("script", "main.py"),
        {"main.py": "import random\nimport torch\n", "random.py": "def seed_all(n): pass\n"},
    ),
    "a framework's name": (
        Target("script", "main.py"),
        {"main.py": "import numpy as np\nnp.array([1])\n", "numpy.py": "x = 1\n"},
    ),
    "a name far down": (Target("script", "main.py"), {"main.py": "import statistics\n", "math.py": "x = 1\n"}),
    "a package that hides a module": (
        Target("script", "main.py"),
        {"main.py": "import inspect\n", "tokenize/__init__.py": "x = 1\n"},
    ),
    "a name that imports what it hides": (
        Target("script", "main.py"),
        {"main.py": "import random\n", "random.py": "import torch\n"},
    ),
    "a neighbour": (
        Target("script", "inner/main.py"),
        {
            "inner/main.py": "import other\nother.f()\n",
            "inner/other.py": "def f():\n    raise ValueError(__name__)\n",
        },
    ),
    "a neighbour that fails": (
        Target("script", "main.py"),
        {"main.py": "import other\n", "other.py": "import third\n", "third.py": "1 / 0\n"},
    ),
    "a neighbour with a syntax error": (
        Target("script", "main.py"),
        {"main.py": "import other\n", "other.py": "x = (\n"},
    ),
    "a module": (
        Target("module", "package.tool"),
        {
            "package/__init__.py": "print('package', __name__)\n",
            "package/tool.py": "import sys\nfrom . import part\n"
            "print(__name__, __spec__.name, sys.argv[1:], part.__name__)\n"
            "print(__package__, sys.path[0] == sys.argv[0].rsplit('/', 2)[0])\n1 / 0\n",
            "package/part.py": "",
        },
    ),
    "a package": (
        Target("module", "package"),
        {"package/__init__.py": "", "package/__main__.py": "print(__name__, __spec__.name)\nraise SystemExit(4)\n"},
    ),
    "a module that isn't there": (Target("module", "package.nothing"), {"package/__init__.py": ""}),
    "a module with workers": (
        Target("module", "package.tool"),
        {
            "package/__init__.py": "",
            "package/tool.py": "import multiprocessing\ndef double(x):\n    return 2 * x\n"
            "if __name__ == '__main__':\n    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
            "        print(pool.map(double, [1, 2]))\n",
        },
    ),
}
