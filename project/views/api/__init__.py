"""The API: the tracker's minimum that causes events, for web sessions and API tokens alike."""
