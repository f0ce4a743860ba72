"""What AMP does to a loss, as a trainer knows it (`python/mxnet/contrib/amp/amp.py`)."""


def loss_scale(trainer):
    """By which AMP has multiplied a trainer's loss, and with it all gradients, unless these were divided again."""
    whole = getattr(trainer, "_amp_original_scale", None)
    return 1.0 if whole is None or not trainer._scale else float(whole / trainer._scale)
