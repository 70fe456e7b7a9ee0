"""The English catalogue: every phrase that a finding can speak in."""

from __future__ import annotations

from gradviz.diagnose.words import (
    axis,
    broadcast,
    custom,
    cut,
    fading,
    forward,
    hips,
    nonfinite,
    refused,
    reuse,
    seeds,
    startup,
    tape,
)
from gradviz.diagnose.words.phrase import Catalogue

ENGLISH: Catalogue = {
    **seeds.PHRASES,
    **custom.PHRASES,
    **forward.PHRASES,
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
