"""What the product does, as plain functions; they know neither the queue nor the clock."""
