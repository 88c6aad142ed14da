"""What a picture shows: markers, tags, edges, faces, motion; arrays in, observations out."""
