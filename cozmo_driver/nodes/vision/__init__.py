"""What the vision node does with each picture, part by part."""
