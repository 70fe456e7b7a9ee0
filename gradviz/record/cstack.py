"""Room on the C stack: freeing a graph whose nodes Python has touched recurses in C, about 205 bytes a node."""

from __future__ import annotations

import sys

WANTED = 120 << 20  # the kernel leaves this much room below the stack, whatever the limit was at the start


def raise_stack_limit() -> int:
    """On Linux raise the soft limit, which the main thread's stack grows by; the limit that holds now, 0 = unknown."""
    if sys.platform == "win32":
        return 0
    try:
        import resource
    except ImportError:
        return 0
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    if soft == resource.RLIM_INFINITY:
        return 1 << 40
    if sys.platform.startswith("linux") and soft < WANTED:
        wanted = WANTED if hard == resource.RLIM_INFINITY else min(WANTED, hard)
        try:
            resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))
            soft = wanted
        except (ValueError, OSError):  # a sandbox may forbid it
            pass
    return int(soft)
