"""Layout: engines, passes, and the process they run in."""
