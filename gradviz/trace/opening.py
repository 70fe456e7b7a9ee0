"""Opens the SQLite file of a recording read-only, and refuses what is not one, with a sentence for each reason."""

from __future__ import annotations

import sqlite3
import stat
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from gradviz.errors import TraceError
from gradviz.trace.packing import APPLICATION_ID, FORMAT
from gradviz.trace.rows import Row

MAGIC = b"SQLite format 3\0"
# What reading needs; a trace may hold more (a later format adds, never changes).
TABLES: dict[str, tuple[str, ...]] = {
    "run": (
        *("gradviz", "target", "script", "function", "arguments", "cwd", "interpreter", "python"),
        *("framework", "platform", "level", "seed_expression", "started", "seconds", "status", "exit_code", "signal"),
        "dropped_output",
    ),
    "source": ("id", "path", "data", "encoding"),
    "string": ("id", "text"),
    "spec": ("id", "shape", "dtype", "device", "layout"),
    "frame": ("id", "source", "line", "end_line", "col", "end_col", "function"),
    "stack": ("id", "frames"),
    "thread": ("id", "name"),
    "module": ("id", "path", "class", "parent", "root_name", "parameters", "training"),
    "leaf": (
        *("id", "value", "name", "kind", "module", "spec", "requires_grad", "stack", "grad_spec", "grad_stats"),
        "in_graph",
    ),
    "backward": (
        *("id", "parent", "thread", "entry", "stack", "retain_graph", "create_graph", "batched", "allow_unused"),
        *("roots", "seeds", "inputs", "outcome", "exception", "failed_node", "running_node", "nodes", "edges", "steps"),
        *("duration", "structure", "repeats", "phase", "truncated"),
    ),
    "segment": ("id", "kind", "pass", "first", "count", "data"),
    "sample": ("id", "pass", "step", "slot", "role", "spec", "strides", "shape", "dtype", "version", "data"),
    "saved": ("pass", "node", "name", "spec", "version", "saved_version"),
    "exception": (
        *("id", "type", "message", "text", "stack", "raised_file", "raised_line", "thread", "phase", "caught", "pass"),
        *("op", "detail"),
    ),
    "unreached": ("value", "name", "spec", "grad_fn", "stack", "op"),
    "note": ("id", "kind", "text", "stack", "detail"),
    "output": ("id", "stream", "time", "data"),
}
INSTRUCTIONS_PER_CALLBACK = 100_000
MAX_CALLBACKS = 20_000  # 2e9 SQLite instructions in one reading: a file whose pages point in circles ends here
MAX_ROWS = 5_000_000
BUSY_SECONDS = 5.0


class TraceFile:
    """The file of a recording.

    While it is being written (its WAL file lies beside it), each reading opens and closes a connection of its own, so
    that whoever writes can end the recording with `journal_mode=DELETE`; afterwards an immutable connection stays open.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._depth = 0
        self._shared = False  # the connection locks the file: whoever ends the recording has to wait for it
        self._callbacks = 0
        self._check_is_file()
        with self.reading() as connection:
            self._check_identity(connection)
            self._check_tables(connection)

    @property
    def live(self) -> bool:
        """Whether somebody may still be writing."""
        return Path(f"{self.path}-wal").exists()

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other threads away from what is read once and kept."""
        with self._lock:
            yield

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection for one consistent look at the file; whatever SQLite says against it becomes a TraceError."""
        with self._lock:
            if self._depth == 0 and self.live:
                self.close()
            self._depth += 1
            try:
                if self._connection is None:
                    self._connection = self._connect()
                if self._depth == 1:
                    self._callbacks = 0
                yield self._connection
            except (sqlite3.Error, OSError, OverflowError, MemoryError, UnicodeError) as error:
                raise self._explained(error) from error
            finally:
                self._depth -= 1
                if self._depth == 0 and (self._shared or self.live):
                    self.close()

    def rows(self, table: str, where: str = "", arguments: Sequence[object] = ()) -> list[Row]:
        """The rows of a table, to be checked as they are used. `where` is this program's own text, never the file's."""
        columns = TABLES[table]
        names = ", ".join(f'"{name}"' for name in columns)
        rows: list[Row] = []
        with self.reading() as connection:
            room = self._size()
            for values in connection.execute(f'SELECT {names} FROM "{table}" {where}', arguments):
                room -= sum(len(value) for value in values if isinstance(value, (str, bytes)))
                if room < 0 or len(rows) >= MAX_ROWS:
                    raise TraceError(f"{self.path} is damaged: the pages of {table} hold more than the file does.")
                rows.append(Row(table, columns, values))
        return rows

    def number(self, sql: str, arguments: Sequence[object] = ()) -> int:
        """The one whole number that a query of this program's own gives; -1 for NULL."""
        with self.reading() as connection:
            row = connection.execute(sql, arguments).fetchone()
        return row[0] if row is not None and isinstance(row[0], int) else -1

    def ids(self, table: str) -> int:
        """One more than the highest id of a table."""
        return self.number(f'SELECT max(id) FROM "{table}"') + 1

    def _connect(self) -> sqlite3.Connection:
        self._shared = self.live
        mode = "mode=ro" if self._shared else "mode=ro&immutable=1"
        connection = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?{mode}",
            uri=True,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,  # the lock serves one reading at a time
        )
        try:
            connection.set_progress_handler(self._tick, INSTRUCTIONS_PER_CALLBACK)
            for pragma in ("query_only = ON", "trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0"):
                connection.execute(f"PRAGMA {pragma}")
            if self._shared:
                connection.execute("BEGIN")  # one state of the file for everything in this reading
        except BaseException:  # passed on
            connection.close()  # not when it is collected: until then it would keep whoever writes from ending
            raise
        return connection

    def _size(self) -> int:
        """Bytes of the file and its additions; 1 KiB more for what a short text may gain in decoding."""
        size = self.path.stat().st_size + 1024
        with suppress(FileNotFoundError):  # whoever writes may end the recording in this moment
            size += Path(f"{self.path}-wal").stat().st_size
        return size

    def _tick(self) -> int:
        self._callbacks += 1
        return int(self._callbacks > MAX_CALLBACKS)

    def _check_is_file(self) -> None:
        try:
            status = self.path.stat()
            if stat.S_ISDIR(status.st_mode):
                raise TraceError(f"{self.path} is a folder, not a gradviz recording.")
            if not stat.S_ISREG(status.st_mode):
                raise TraceError(f"{self.path} is not an ordinary file.")
            with self.path.open("rb") as file:
                header = file.read(100)
        except FileNotFoundError as error:
            raise TraceError(f"There is no file {self.path}.") from error
        except (OSError, ValueError) as error:
            raise TraceError(f"{self.path} can't be read: {getattr(error, 'strerror', None) or error}.") from error
        if self.live:
            return  # the first page may still be in the WAL file alone
        if not header:
            raise TraceError(f"{self.path} is empty.")
        if not header.startswith(MAGIC[: len(header)]):
            raise TraceError(f"{self.path} is not a gradviz recording.")
        self._check_length(header, status.st_size)

    def _check_length(self, header: bytes, size: int) -> None:
        page = int.from_bytes(header[16:18], "big")
        expected = (65536 if page == 1 else page) * int.from_bytes(header[28:32], "big")
        counted = header[24:28] == header[92:96]  # otherwise the header's page count is out of date
        if len(header) < 100 or (counted and size < expected):
            raise TraceError(f"{self.path} is cut short: {size:,} of {expected or 100:,} bytes are there.")

    def _check_identity(self, connection: sqlite3.Connection) -> None:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION_ID:
            raise TraceError(f"{self.path} is a database, but not a gradviz recording.")
        if version > FORMAT:
            raise TraceError(
                f"{self.path} was written by a newer gradviz (format {version}, this one reads up to {FORMAT}): "
                "update gradviz."
            )
        if version < 1:
            raise TraceError(f"{self.path} has no valid format number ({version}).")

    def _check_tables(self, connection: sqlite3.Connection) -> None:
        """Every table is an ordinary one with ordinary columns: a view, a virtual table or a computed column could run
        whatever its author wrote."""
        kinds = {}
        for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_master LIMIT 1000"):
            if isinstance(name, str) and kind in ("table", "view"):
                virtual = isinstance(sql, str) and sql.lstrip()[:14].upper() == "CREATE VIRTUAL"
                kinds[name] = "virtual table" if virtual else kind
        for table, columns in TABLES.items():
            kind = kinds.get(table)
            if kind is None:
                raise TraceError(f"{self.path} is damaged: its table {table} is missing.")
            if kind != "table":
                raise TraceError(f"{self.path} is damaged: {table} is a {kind}, not a table.")
            found = {row[1]: row[6] for row in connection.execute(f'PRAGMA table_xinfo("{table}")')}
            for column in columns:
                if column not in found:
                    raise TraceError(f"{self.path} is damaged: its table {table} has no column {column}.")
                if found[column]:
                    raise TraceError(f"{self.path} is damaged: {table}.{column} is computed, not stored.")

    def _explained(self, error: BaseException) -> TraceError:
        text = str(error)
        if "locked" in text:
            return TraceError(f"{self.path} is locked by another program.")
        if "unable to open" in text:
            if not self.path.exists():
                return TraceError(f"There is no file {self.path} any more.")
            return TraceError(
                f"{self.path} has additions in a -wal file beside it, and its folder can't be written to: "
                "copy both to a folder of your own and open the copy."
            )
        if "not a database" in text:
            return TraceError(f"{self.path} is not a gradviz recording.")
        return TraceError(f"{self.path} is damaged: {text or type(error).__name__}.")
