"""Tests; a package so that names stay apart and builders import absolutely."""
