"""The words of findings: one catalogue of phrases with named parts, so that they can be translated."""
