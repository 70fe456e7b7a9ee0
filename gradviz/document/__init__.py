"""What is open, without Qt: the run and its recording, the current step, what can be done with them."""
