"""The rules, one small file per family; each takes the examined recording and says what it finds."""
