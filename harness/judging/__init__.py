"""What a run means: receipts, why a job hung, and the verdict. Pure, so that an old run can be judged again."""
