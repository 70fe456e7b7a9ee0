"""Tests of the trace file: reader, replay, damage."""
