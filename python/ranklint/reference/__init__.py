"""A small, complete TP/PP control plane on torch.distributed (specs 000 and 001).

Made to be read and copied. Nothing here imports ranklint, and importing the package imports no torch. Read in this
order:

====================  =============================================================================================
`settings`, `hooks`   every environment key, read once into a snapshot
`parity`              the snapshot is compared before anything else happens
`topology`            all process groups, made once, in one order, by everybody
`framing`, `link`     header, meta, manifest, tensors; everything that can fail is done before the header
`plan`, `calls`       the phase plan, the envelope and the result, and the names they have on the wire
`model`, `compiled`   a tiny generator that really computes, sharded over the mesh; its compiled form and its gate
`mesh`, `engine`      guarded collectives; the vote, the tripwires and Phase B
`roles`               the driver of TP, followers, the leader of PP1
`stage0`, `metrics`   rank 0 of PP: bounded queues, acceptance of results, overlap
`runtime`             start-up and the choice of roles
====================  =============================================================================================
"""

from __future__ import annotations
