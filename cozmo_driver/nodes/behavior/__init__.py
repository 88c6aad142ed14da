"""The personality on the graph: what ``behavior_node`` is made of."""
