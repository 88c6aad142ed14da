"""Writes ``docs/interface.md`` from the nodes, ``texts.yaml`` and the marks of the tests."""
