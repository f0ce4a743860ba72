"""What flows between all other folders: instructions, events, receipts, schedules, quantities. Decides nothing."""
