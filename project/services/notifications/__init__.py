"""Changes of issues become events, and events become notifications and log rows."""
