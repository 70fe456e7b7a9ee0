"""Tests of what is open, without Qt."""
