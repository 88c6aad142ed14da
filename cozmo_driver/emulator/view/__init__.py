"""What the robots see, show and play, for people: files in a folder, or a terminal."""
