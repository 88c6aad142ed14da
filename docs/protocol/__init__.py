"""The reference of the protocol, written from the declaration of the messages."""
