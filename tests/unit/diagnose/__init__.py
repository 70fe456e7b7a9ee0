"""Tests of gradviz.diagnose."""
