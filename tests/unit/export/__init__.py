"""Tests of exports and reports."""
