"""Writes a trace file; used by the recorder and, for its own columns, by the supervisor. Standard library only."""
