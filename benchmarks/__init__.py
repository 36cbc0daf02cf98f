"""What the product costs, beside the least that the same work can cost."""
