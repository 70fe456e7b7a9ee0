"""The English catalogue: every phrase that a finding can speak in, and the words inside them."""

from __future__ import annotations

from collections.abc import Mapping

from gradviz.diagnose.words import (
    axis,
    broadcast,
    custom,
    cut,
    fading,
    forward,
    functional,
    hips,
    nonfinite,
    refused,
    reuse,
    seeds,
    startup,
    tape,
)
from gradviz.diagnose.words.fragments import FRAGMENTS
from gradviz.diagnose.words.phrase import Catalogue, Phrase

PHRASES: Mapping[str, Phrase] = {
    **seeds.PHRASES,
    **custom.PHRASES,
    **forward.PHRASES,
    **functional.PHRASES,
    **broadcast.PHRASES,
    **reuse.PHRASES,
    **cut.PHRASES,
    **nonfinite.PHRASES,
    **fading.PHRASES,
    **axis.PHRASES,
    **refused.PHRASES,
    **startup.PHRASES,
    **hips.PHRASES,
    **tape.PHRASES,
}
ENGLISH = Catalogue(PHRASES, FRAGMENTS)
