"""What the user wrote, checked."""
