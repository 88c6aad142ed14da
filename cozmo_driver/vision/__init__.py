"""What is to be seen in a picture: markers, tags and edges; arrays in, observations out."""
