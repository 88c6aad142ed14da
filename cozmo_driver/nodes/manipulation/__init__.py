"""The hands on the graph: their body and their actions."""
