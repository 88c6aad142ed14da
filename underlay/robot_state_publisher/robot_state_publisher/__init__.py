"""From a robot's description and its joints' positions to the poses of its links."""
