"""The system in numbers, for Prometheus: read from the tables and from Redis when somebody asks."""
