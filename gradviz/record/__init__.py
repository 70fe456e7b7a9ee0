"""Runs the user's script under the user's Python and writes what its gradients did. Started by path, see boot.py."""
