"""What writes the generated pages of this folder."""
