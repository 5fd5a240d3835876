"""The ways in which this control plane refuses to go on, and the exit code of each.

| code | meaning |
|---|---|
| 0 | done, or left by `SHUTDOWN` |
| 2 | orphaned: the watchdog or a closed connection says that the peer is gone |
| 3 | this rank saw a contract broken |
| 4 | a peer saw it, and said so by `ERROR` or by a failed result |
"""

from __future__ import annotations


class ContractError(RuntimeError):
    """A broken contract; the run ends."""

    exit_code = 3


class ParityError(ContractError):
    """Ranks were started with different settings."""


class PreflightError(ContractError):
    """A message was refused by its sender, before any byte of it was sent."""


class EnvelopeError(ContractError):
    """A received message breaks the envelope contract."""


class PlanError(PreflightError):
    """The phase plan contradicts itself, or what was done contradicts the plan."""


class VoteError(ContractError):
    """Some rank of the mesh does not agree to enter Phase B, so none does."""


class ManifestError(ContractError):
    """A tensor is about to cross ranks without standing in the manifest of the call."""


class DriftError(ContractError):
    """Ranks compute from different inputs, or with weights that have changed."""


class WrongGroupError(ContractError):
    """A collective of the mesh was handed another group."""


class AcceptanceError(ContractError):
    """A result that cannot be: of a future epoch, out of order, or of another plan."""


class CompileHealthError(ContractError):
    """Ranks compiled differently, or a collective broke the graph."""


class OverlapError(ContractError):
    """The stages ran one after the other although they should overlap."""


class PeerError(ContractError):
    """A peer ended the run, by `ERROR` or by a failed result."""

    exit_code = 4


class PeerLostError(ContractError):
    """The peer is gone: its connection closed while a message of it was awaited."""

    exit_code = 2
