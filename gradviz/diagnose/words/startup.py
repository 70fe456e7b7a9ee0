"""Words about scripts that never get to a gradient, and about errors that no other rule explains."""

from __future__ import annotations

from gradviz.diagnose.words.phrase import Phrase

PHRASES = {
    "syntax-error": Phrase(
        "Python can't read this file",
        "Line {line} is not valid Python: {reason}.",
        "Python reads the whole file before it runs any of it, so nothing was run and there is nothing to show yet."
        " It stopped at: {text}",
        "Correct line {line}, then run again.",
    ),
    "not-text": Phrase(
        "This is not Python text",
        "{file} is not Python text: it holds zero bytes, the first of them on line {line}.",
        "A script is text, and text has no zero bytes: this is binary data, or text that was saved in UTF-16. Python"
        " refuses the whole file, so nothing was run.",
        "Give the script itself; text in UTF-16 has to be saved as UTF-8.",
    ),
    "encoding-undeclared": Phrase(
        "The file's encoding is not declared",
        "Line {line} holds bytes that are not UTF-8, and the file does not say which encoding it is in.",
        "Python takes a source file as UTF-8 unless a comment in its first two lines says otherwise, and refuses"
        " bytes that don't fit, even inside a comment. So nothing was run.",
        "Save the file as UTF-8, or put  # -*- coding: latin-1 -*-  (with its real encoding) on line 1.",
    ),
    "missing-import": Phrase(
        "A module is not installed",
        "The interpreter {interpreter} has no module named {name}.",
        "The script runs under the interpreter that was chosen for it, and this one does not have {name}. It may be"
        " installed for another Python on this machine: choose that one {interpreter_field}.",
        "{interpreter} -m pip install {package}",
    ),
    "import-name": Phrase(
        "An import failed",
        "{reason}.",
        "The module was found, but not what is imported from it: its version may be another one than the script was"
        " written for, or a file beside the script has the same name as the module and hides it.",
        "Check the installed version of {name}, and that no file beside the script is called {package}.py.",
    ),
    "shadowed-module": Phrase(
        "A file of yours hides the module {module}",
        "{reason}: your own {file} was imported as {module}.",
        "Python looks in the script's folder before its own library and the installed packages. {file} has the name"
        " of a module there, so whoever imports {module} gets this file instead, the insides of PyTorch included.",
        "Rename {file}; a name that no installed module has is safe.",
    ),
    "relative-import": Phrase(
        "A relative import needs a package",
        "{text}: the file was run as a script, so it has no package to import from.",
        "A leading dot means 'from the package that this file belongs to'. A file that is run by its path belongs to"
        " none, so Python has nowhere to look.",
        "Run it as a module from the folder above its package: gradviz check -m package.module",
    ),
    "needs-input": Phrase(
        "The script waits for the keyboard",
        "The script asked for input ({prompt}), and there was none left to read.",
        "input() reads a line from standard input. Here it was empty, so Python raised EOFError. Nothing is wrong"
        " with the gradients.",
        "{answers}",
    ),
    "missing-argument": Phrase(
        "The script needs arguments",
        "The script requires {names}, and was run without.",
        "It reads its settings from the command line and stopped before doing anything else. Nothing is wrong with"
        " the gradients.",
        "Give them after --, as in: gradviz check SCRIPT -- {names} VALUE",
    ),
    "missing-argument-argv": Phrase(
        "The script needs arguments",
        "The script reads sys.{what}, and was run without arguments.",
        "sys.argv holds the words after the script's name; there were fewer of them than the script reads.",
        "Give them after --, as in: gradviz check SCRIPT -- VALUE",
    ),
    "exit-code": Phrase(
        "The script ended with a status of its own",
        "The script ended itself with exit status {code}.",
        "sys.exit was called with a number other than 0. That is the script's own way to report something; no"
        " gradient was at fault.",
        "Nothing to change, if this status is meant.",
    ),
    "worker-died": Phrase(
        "The script's process died",
        "The process ended ({how}) while {node} was running backward.",
        "It ended without a Python error, as a crash in native code, a call of os._exit or the system's memory guard"
        " does. The last thing it began was the backward of {node}, made by {op}. What was recorded up to there is"
        " shown.",
        "Look at what {node} calls in its backward, on line {line}.",
    ),
    "worker-died-forward": Phrase(
        "The script's process died",
        "The process ended ({how}) outside any backward pass.",
        "It ended without a Python error, as a crash in native code, a call of os._exit or the system's memory guard"
        " does. What was recorded up to there is shown; the last recorded call stands on line {line}.",
        "Look at what runs after line {line}.",
    ),
    "worker-died-early": Phrase(
        "The script's process died",
        "The process ended ({how}) before any backward pass.",
        "It ended without a Python error, as a crash in native code, a call of os._exit or the system's memory guard"
        " does. Nothing had been written of it yet, so the place can't be told.",
        "Run it under python -X faulthandler, which prints the line of a crash.",
    ),
    "out-of-memory": Phrase(
        "Out of memory",
        "{op} asked for more memory than there is{amount}.",
        "The tensor that was to be made on this line is too large for this machine. Look at the shapes that go into"
        " it: one dimension too many, or a broadcast of two large tensors, is the usual reason.",
        "Make the tensor smaller, or work in pieces (a smaller batch, checkpointing).",
    ),
    "removed-function": Phrase(
        "This function is gone from PyTorch",
        "torch.{old} no longer exists in {framework}; use torch.{new}.",
        "torch.{old} was removed years after torch.{new} took its place. {difference}",
        "{fix}",
    ),
    "uncaught": Phrase(
        "The script raised {type}",
        "{type}: {reason}",
        "The error was raised on line {line} and nothing caught it. None of the rules for gradients explains it, so"
        " it is shown as Python told it.",
        "Read the traceback {traceback}; it ends on line {line}.",
    ),
    "uncaught-nowhere": Phrase(
        "The script raised {type}",
        "{type}: {reason}",
        "No line of the script was running when the error was raised, and nothing caught it. None of the rules for"
        " gradients explains it, so it is shown as Python told it.",
        "Read the traceback {traceback}.",
    ),
    "interrupted": Phrase(
        "The script raised KeyboardInterrupt",
        "A KeyboardInterrupt came on line {line}, nothing caught it, and the process ended ({how}).",
        "Ctrl+C, another program's SIGINT or the script itself raises one. No gradient was at fault. What was recorded"
        " up to there is shown.",
        "Run it again without the interrupt, or look at what raises it on line {line}.",
    ),
    "uncaught-device": Phrase(
        "Tensors on different devices",
        "{op} was given tensors on {devices}.",
        "An operation works on one device only; nothing is copied between devices by itself. Move the data to where"
        " the parameters are.",
        "{name} = {name}.to({device!r})",
    ),
    "uncaught-caught": Phrase(
        "An error was caught and the script went on",
        "{type} on line {line}: {reason}",
        "The script caught this error itself, so nothing was printed and the exit status is 0. What the failing call"
        " was to compute is missing all the same.",
        "Let the error through, or handle it where it arises, on line {line}.",
    ),
}
