"""Others beside us: each sends the same number of mails while its worker is killed at the same rate."""
