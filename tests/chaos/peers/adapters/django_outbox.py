import sys

import django
from django.core.mail import EmailMessage
from django.core.management import call_command

from tests.chaos.peers.adapters.letter import SENDER, address

if __name__ == "__main__":
    django.setup()
    call_command("migrate", verbosity=0)
    for number in range(int(sys.argv[1])):
        EmailMessage(f"Mail {number}", "Something happened.", SENDER, [address(number)]).send()
