"""The sub-commands, one module each: `add` tells argparse of it, `run` does it.

What a command needs is imported when it runs, so that `bakeoff --help` answers at once.
"""

from bakeoff.cli.commands import (
    answer,
    components,
    doctor,
    document,
    listing,
    prompt,
    report,
    run,
    schema,
    serve,
    steering,
    submit,
    validate,
    version,
    watch,
)

COMMANDS = (
    run,
    submit,
    watch,
    listing,
    steering,
    report,
    document,
    answer,
    prompt,
    validate,
    components,
    doctor,
    serve,
    schema,
    version,
)
"""In the order of the help."""
