"""Log rows become digests, and digests become mails."""
