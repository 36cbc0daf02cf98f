"""What keeps the house in order, and proves that it is."""
