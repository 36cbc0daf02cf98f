"""The least that each of the others needs to send a mail, as their own guides have it, with their defaults.

Runs in the environment of requirements/peers.txt, so nothing in here imports anything of ours. A module that is
run as a program puts as many mails on its queue as its argument says.
"""
