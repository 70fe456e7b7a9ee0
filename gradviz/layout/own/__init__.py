"""The own layered engine, pass by pass; `engine.py` is its door, `level.py` the sequence of the passes."""
