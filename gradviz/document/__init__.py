"""What is open, without Qt: the run and its recording, the position, the selection, what is remembered."""
