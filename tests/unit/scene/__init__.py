"""Tests of what is to be drawn, without Qt."""
