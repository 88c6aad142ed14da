"""What an image shows: markers, tags, edges, faces, motion; arrays in, observations out."""
