"""What every node uses: executors, jobs, actions, parameters, logs, conversions to messages.

A toolbox: its modules are imported one by one, since all of them together take a second.
"""
