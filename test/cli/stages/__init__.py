"""What the examples of a command's help need to run, in a module named like the command.

Everything in it is optional:

prepare(folder)     puts the files that the examples name into the folder in which they run
EMULATOR            options of ``running_emulator`` for what takes ``--robot``
MEANWHILE(line)     a context in which the example runs; yields words to append
WORDS               words to append, by how an example begins
ENDS                what an example prints before it waits for Ctrl-C, by how it begins
OFFLINE             beginnings of examples that need no robot although there is ``--robot``
CODES               exit codes other than 0, by how an example begins
"""
