"""gradviz: a desktop debugger for gradients. The map of the source is README.md beside this file."""

__version__ = "0.1.0"
