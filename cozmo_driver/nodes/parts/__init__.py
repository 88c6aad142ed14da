"""What the driver node does, one small class per concern."""
