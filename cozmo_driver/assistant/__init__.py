"""A robot's abilities for assistants: an MCP server of whole acts with limits."""
