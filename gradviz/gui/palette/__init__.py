"""The search palette: one field for nodes, modules, lines, shapes, problems and commands."""
