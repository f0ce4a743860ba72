"""From gradients to new weights: one class a loop, each with ``rank`` and ``apply()``.

Parameters may be initialised late, so that kvstores get their keys at the first ``apply``.
"""

import tempfile

import mxnet as mx
from mxnet import gluon

from .failures import RefusedError
from .loss_scale import loss_scale


def find(job, parameters, samples=None):
    """The update that a job asks for; ``parameters`` is the net's ParameterDict.

    The sum of gradients over all workers is divided by ``samples``: all that they see in a step, if left out.
    """
    kind = {"trainer": TrainerUpdate, "push_pull": PushPullUpdate, "horovod": HorovodUpdate}[job.loop]
    return kind(job, parameters, job.batch_size * job.workers if samples is None else samples)


class _OfTrainer:
    """What all that is built on ``gluon.Trainer`` does."""

    def __init__(self, job, trainer, samples):
        self._trainer, self._samples = trainer, samples
        self._scales = _scales_losses(job, trainer)
        self._fixed_scale = None if job.amp is None or job.amp.loss_scaling is True else job.amp.loss_scaling

    def apply(self, share=1.0):
        """Bring gradients together, and step; ``share``: the size of this step's batch, of the usual one."""
        self._trainer.step(self._samples * share)

    def scaled(self, losses):
        """The losses that backward starts from: scaled, where AMP scales them."""
        return _scaled(losses, self._trainer) if self._scales else losses

    def watch_scale(self, tell):
        """Hold the loss scale where it is to stay, and ``tell(scale)`` of each step whose gradients overflowed.

        The scaler is asked once a step (`python/mxnet/gluon/trainer.py`, _check_and_rescale_grad and step).
        """
        scaler = self._trainer._amp_loss_scaler
        if not hasattr(scaler, "has_overflow"):
            raise RefusedError(
                "mxnet %s asks its loss scaler where nobody sees it; leave loss_scaling out, or take 1.8 or later"
                % mx.__version__
            )
        asked = scaler.has_overflow

        def hold():
            if self._fixed_scale:
                scaler._loss_scale = scaler._next_loss_scale = self._fixed_scale

        def overflowed(*arguments):
            scale, found = scaler.loss_scale, asked(*arguments)
            hold()
            if found:
                tell(scale)
            return found

        hold()
        scaler.has_overflow = overflowed

    @property
    def scale(self):
        """By which AMP has made gradients larger."""
        return loss_scale(self._trainer)

    def states(self):
        """What the optimizer holds, as bytes (None where it cannot be had), and why not."""
        return _saved(self._trainer.save_states)

    def load_states(self, states):
        """Set what the optimizer holds, unless ``states`` is None."""
        _loaded(self._trainer.load_states, states)


class TrainerUpdate(_OfTrainer):
    """``gluon.Trainer``, over a kvstore or without one."""

    def __init__(self, job, parameters, samples):
        distributed = job.kvstore.startswith("dist")
        # By name, MXNet may choose differently (`python/mxnet/model.py`, _create_kvstore), so name it as users do.
        kvstore = mx.kv.create(job.kvstore) if distributed else None if job.kvstore == "none" else job.kvstore
        self.rank = kvstore.rank if distributed else 0
        trainer = gluon.Trainer(
            parameters,
            job.optimizer.name,
            optimizer_arguments(job.optimizer),
            kvstore=kvstore,
            compression_params=_compression(job),
            update_on_kvstore=job.update_on_kvstore,
        )
        super().__init__(job, trainer, samples)


class PushPullUpdate:
    """A push and a pull for each key, the optimizer on the kvstore, as in the Module API (`python/mxnet/model.py`)."""

    def __init__(self, job, parameters, samples):
        self._kvstore = mx.kv.create(job.kvstore)
        self.rank = self._kvstore.rank
        if job.compression is not None:
            self._kvstore.set_gradient_compression(_compression(job))
        # Rescaling is the optimizer's, which runs where the sum is known.
        arguments = dict(optimizer_arguments(job.optimizer), rescale_grad=1.0 / samples)
        trained = [parameter for parameter in parameters.values() if parameter.grad_req != "null"]
        arguments["param_idx2name"] = {key: parameter.name for key, parameter in enumerate(trained)}
        self._kvstore.set_optimizer(mx.optimizer.create(job.optimizer.name, **arguments))
        self._trained = trained
        self._known = False

    def apply(self, share=1.0):
        """Push every gradient, then pull every weight; earlier layers have priority. All batches are of one size."""
        if not self._known:
            self._announce()
        for key, parameter in enumerate(self._trained):
            self._kvstore.push(key, parameter.list_grad(), priority=-key)
            self._kvstore.pull(key, parameter.list_data(), priority=-key)

    def states(self):
        """What the optimizer holds, as bytes (None where it cannot be had), and why not."""
        return _saved(self._kvstore.save_optimizer_states)

    def load_states(self, states):
        """Set what the optimizer holds, unless ``states`` is None."""
        _loaded(self._kvstore.load_optimizer_states, states)

    def scaled(self, losses):
        """The losses to go back from; scaling is the Trainer's."""
        return losses

    def _announce(self):
        """Give the kvstore its keys; the first worker's values hold for all."""
        for key, parameter in enumerate(self._trained):
            self._kvstore.init(key, parameter.list_data()[0])
        self._known = True


class HorovodUpdate(_OfTrainer):
    """``horovod.mxnet.DistributedTrainer``: gradients are averaged among ranks."""

    def __init__(self, job, parameters, samples):
        import horovod.mxnet as hvd

        hvd.init()
        self.rank = hvd.rank()
        compression = hvd.Compression.fp16 if job.horovod_compression == "fp16" else hvd.Compression.none
        trainer = hvd.DistributedTrainer(
            parameters, job.optimizer.name, optimizer_arguments(job.optimizer), compression=compression
        )
        super().__init__(job, trainer, samples / hvd.size())  # the average over ranks is Horovod's
        hvd.broadcast_parameters(parameters, root_rank=0)


def _scales_losses(job, trainer):
    """Whether losses are scaled, which the trainer then knows of."""
    if job.amp is None or not job.amp.loss_scaling:
        return False
    from mxnet.contrib import amp

    amp.init_trainer(trainer)
    return True


def _scaled(losses, trainer):
    from mxnet.contrib import amp

    with amp.scale_loss(losses, trainer) as scaled:
        return scaled


def _saved(save):
    """MXNet writes states to files only, and refuses where servers hold them (`python/mxnet/kvstore/kvstore.py`)."""
    with tempfile.NamedTemporaryFile() as file:
        try:
            save(file.name)
        except (AssertionError, mx.MXNetError) as error:
            return None, "what the optimizer holds: %s" % str(error).split("\n")[0]
        return open(file.name, "rb").read(), ""


def _loaded(load, states):
    if states is not None:
        with tempfile.NamedTemporaryFile() as file:
            file.write(states)
            file.flush()
            load(file.name)


def optimizer_arguments(optimizer):
    """What the scenario gives; the rest is MXNet's default."""
    arguments = _given(optimizer)
    if optimizer.schedule is not None:
        arguments["lr_scheduler"] = _schedule(optimizer.schedule, optimizer.learning_rate)
    return arguments


def _given(part):
    return {key: value for key, value in vars(part).items() if key not in ("name", "schedule") and value is not None}


def _schedule(asked, learning_rate):
    """A class of ``mx.lr_scheduler``, by its name without ``Scheduler``."""
    classes = {name.lower(): value for name, value in vars(mx.lr_scheduler).items() if isinstance(value, type)}
    return classes[asked.name + "scheduler"](base_lr=learning_rate, **_given(asked))


def _compression(job):
    return None if job.compression is None else vars(job.compression)
