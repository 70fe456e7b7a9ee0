"""The canvas: one painted widget that shows the graph, with header, strip and minimap. Use `canvas.canvas.Canvas`."""
