"""The base of everything read from YAML or JSON: frozen, and unknown keys are errors."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

Flag = Annotated[bool, Field(strict=True)]


class Strict(BaseModel):
    """Frozen; unknown keys, NaN and infinity are refused."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        populate_by_name=True,
        serialize_by_alias=True,
        allow_inf_nan=False,
        defer_build=True,  # most models are only parts of others, and each build takes its time at every start
    )


class Sparse(Strict):
    """Written without the fields that are None."""

    @model_serializer(mode="wrap")
    def _without_none(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {key: value for key, value in handler(self).items() if value is not None}
