"""The cockpit on the graph: one robot's topics, services and actions as the page's robot."""
