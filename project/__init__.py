"""Singlepost: issue events become notifications, e-mail digests and exports, each exactly once."""
