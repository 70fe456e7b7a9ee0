-- The trace file (.gradviz): one SQLite database. application_id 0x47526456 ("GRdV"), user_version = format version.
-- Format 1 brought every table and column below. Older versions always open; a newer one is refused with a sentence.
-- While a script runs the file is in WAL mode; the supervisor closes it with journal_mode=DELETE, so that one file is whole.
-- Few things are rows; many things (ops, nodes, edges, steps) are packed columns in `segment`, see packing.py.
-- Everything that repeats is interned: string, spec, frame, stack. Ids start at 0; -1 (in columns) or NULL (in rows) = none.
-- Two processes write: the recorder (all but what follows) and the supervisor (output, run.status and its neighbours).

CREATE TABLE run (              -- one row
  id INTEGER PRIMARY KEY CHECK (id = 0),
  gradviz TEXT NOT NULL,        -- version that wrote the file
  target TEXT NOT NULL,         -- as asked for: script.py, -m package.module, script.py::function
  script TEXT,                  -- absolute path of the file that ran
  function TEXT,                -- name of the one function that was called, NULL for a whole script
  arguments TEXT NOT NULL,      -- JSON list: sys.argv[1:], or for a function a list of [name, expression]
  cwd TEXT NOT NULL,            -- working folder
  interpreter TEXT NOT NULL,    -- absolute path of the Python that ran it
  python TEXT NOT NULL,         -- its version, "3.11.7"
  framework TEXT NOT NULL,      -- "torch 2.13.0"; "" until one is imported; several are joined by ", "
  platform TEXT NOT NULL,       -- sys.platform and machine
  level TEXT NOT NULL,          -- shapes | summaries | values
  seed_expression TEXT,         -- seed that the person chose for a function's non-scalar result
  started REAL NOT NULL,        -- UNIX time
  seconds REAL,                 -- run time of the script, NULL while it runs
  status TEXT NOT NULL,         -- recording | ok | raised | exited | killed | timeout | stopped | not-run
  exit_code INTEGER,            -- of the script's process; NULL while it runs or when a signal ended it
  signal INTEGER,               -- that ended it
  dropped_output INTEGER NOT NULL DEFAULT 0 -- bytes of output left out of the middle of a flood
);
CREATE TABLE source (           -- every user file that a frame names, as it was when it ran
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL,           -- absolute
  data BLOB,                    -- raw bytes; NULL when left out on saving
  encoding TEXT NOT NULL        -- as declared (PEP 263), "utf-8" otherwise
);
CREATE TABLE string (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE spec (             -- the description of a tensor, without its numbers
  id INTEGER PRIMARY KEY,
  shape TEXT NOT NULL,          -- JSON list; a symbolic or nested size is a string
  dtype TEXT NOT NULL,          -- "float32"
  device TEXT NOT NULL,         -- "cpu", "cuda:0"
  layout TEXT NOT NULL          -- "strided", "sparse_coo", "jagged", "nested", "functorch", ...
);
CREATE TABLE frame (            -- one place in the user's code
  id INTEGER PRIMARY KEY,
  source INTEGER NOT NULL,      -- -> source.id
  line INTEGER NOT NULL,        -- 1-based
  end_line INTEGER NOT NULL,
  col INTEGER NOT NULL,         -- UTF-8 byte offset in the line, -1 where Python doesn't tell (before 3.11)
  end_col INTEGER NOT NULL,
  function TEXT NOT NULL        -- qualified name where known, "<module>" at top level
);
CREATE TABLE stack (            -- user frames, innermost first
  id INTEGER PRIMARY KEY,
  frames TEXT NOT NULL          -- JSON list of frame ids
);
CREATE TABLE thread (id INTEGER PRIMARY KEY, name TEXT NOT NULL); -- 0 is the main thread
CREATE TABLE module (           -- one nn.Module instance under one path
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL,           -- "encoder.layers.0"; "" for the outermost module
  class TEXT NOT NULL,          -- "TransformerEncoderLayer"
  parent INTEGER,               -- -> module.id
  root_name TEXT,               -- variable that holds the outermost module, where known: "model"
  parameters INTEGER NOT NULL,  -- number of parameter elements inside, children included
  training INTEGER              -- 1 in training mode when first called
);
CREATE TABLE leaf (             -- a tensor that gradients may be accumulated into
  id INTEGER PRIMARY KEY,
  value INTEGER NOT NULL,       -- value number, as in operands
  name TEXT NOT NULL,           -- "encoder.weight", "z"; "" unknown
  kind TEXT NOT NULL,           -- parameter | variable
  module INTEGER,               -- -> module.id that owns the parameter
  spec INTEGER NOT NULL,
  requires_grad INTEGER NOT NULL,
  stack INTEGER,                -- where it was made, where known
  grad_spec INTEGER,            -- of .grad at the end; NULL = no gradient
  grad_stats BLOB,              -- statistics of .grad at the end, packing.STATS
  in_graph INTEGER NOT NULL DEFAULT 0 -- 1 if some recorded pass had it as a leaf
);
CREATE TABLE backward (         -- one call of backward/grad ("pass")
  id INTEGER PRIMARY KEY,       -- 0, 1, ... in order of the calls, those merely counted included: gaps are passes not stored
  parent INTEGER,               -- the pass during which this one was called (reentrant)
  thread INTEGER NOT NULL,
  entry TEXT NOT NULL,          -- backward | grad | engine | vjp (HIPS autograd's backward_pass)
  stack INTEGER NOT NULL,       -- call site
  retain_graph INTEGER NOT NULL,
  create_graph INTEGER NOT NULL,
  batched INTEGER NOT NULL,     -- is_grads_batched
  allow_unused INTEGER NOT NULL DEFAULT 0,
  roots TEXT NOT NULL,          -- JSON list: {"node", "slot", "value", "spec", "requires_grad"}; node -1 where the output has no grad_fn
  seeds TEXT NOT NULL,          -- JSON list as given, may be shorter or longer than roots: null or {"value", "spec"}; [] = none given
  inputs TEXT NOT NULL,         -- JSON list: {"node", "slot", "value", "spec", "requires_grad"} of inputs=; [] = all leaves
  outcome TEXT NOT NULL,        -- running | completed | refused (raised before the first node) | raised | interrupted
  exception INTEGER,            -- -> exception.id
  failed_node INTEGER,          -- index in this pass's nodes of the node that raised or was running when the process ended
  running_node INTEGER,         -- filled from the side file after a sudden death
  nodes INTEGER NOT NULL,
  edges INTEGER NOT NULL,
  steps INTEGER NOT NULL,       -- that ran
  duration REAL,                -- seconds in the engine
  structure TEXT NOT NULL,      -- hash of names, shapes, edges: equal passes are stored once and counted
  repeats INTEGER NOT NULL DEFAULT 1, -- how many passes of this structure this row stands for (itself included)
  phase TEXT NOT NULL DEFAULT 'run', -- load (while a function's module was loading) | run | offered (gradviz called backward
                                -- itself) | tried (with another seed than the script gave, to try a fix) | forward (no pass: the
                                -- graph of the operands of a forward call that raised)
  truncated TEXT                -- why the graph is not whole (e.g. C stack), NULL if it is
);
CREATE TABLE segment (          -- packed columns
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,           -- a key of packing.KINDS
  pass INTEGER,                 -- -> backward.id for node, expected, edge, step, received, returned; NULL for op, operand, result, call
  first INTEGER NOT NULL,       -- number of the first row
  count INTEGER NOT NULL,       -- rows
  data BLOB NOT NULL
);
CREATE INDEX segment_by_pass ON segment (kind, pass, first);
CREATE TABLE sample (           -- some values of a tensor, for heat map and histogram; or all of them at level values
  id INTEGER PRIMARY KEY,
  pass INTEGER,
  step INTEGER,                 -- number of the step in the pass; -1 = the seed; NULL = of a leaf (its .grad at the end)
  slot INTEGER NOT NULL,        -- grad_output slot, seed number, or leaf id
  role TEXT NOT NULL,           -- received | returned | seed | leaf-grad | operand
  spec INTEGER NOT NULL,        -- of the whole tensor
  strides TEXT NOT NULL,        -- JSON list: every k-th entry per dimension was kept; all 1 = whole
  shape TEXT NOT NULL,          -- JSON list: shape of what was kept
  dtype TEXT NOT NULL,          -- of the bytes: float32 | float64 | complex64 (pairs) | int64 | ...
  version INTEGER NOT NULL,     -- tensor version when read
  data BLOB NOT NULL            -- little-endian, C order
);
CREATE TABLE saved (            -- shapes of saved tensors of a node, only where reading them has no side effect
  pass INTEGER NOT NULL, node INTEGER NOT NULL,
  name TEXT NOT NULL,           -- "self", "weight", "result"
  spec INTEGER,                 -- NULL = freed
  version INTEGER, saved_version INTEGER
);
CREATE TABLE exception (
  id INTEGER PRIMARY KEY,
  type TEXT NOT NULL,           -- "RuntimeError", with module for those not built in
  message TEXT NOT NULL,
  text TEXT NOT NULL,           -- the traceback as printed, without our frames
  stack INTEGER,                -- user frames of the traceback, innermost first
  raised_file TEXT, raised_line INTEGER, -- innermost frame of all, the user's or not
  thread INTEGER NOT NULL,
  phase TEXT NOT NULL,          -- start (import, compile) | forward | backward | user | thread
  caught INTEGER NOT NULL,      -- 1: the script went on
  pass INTEGER,                 -- -> backward.id in which it arose
  op INTEGER,                   -- number of the op that raised
  detail TEXT NOT NULL DEFAULT '{}' -- JSON: line, column, end_column, text of a SyntaxError; name of an ImportError; ...
);
CREATE TABLE unreached (        -- tensors with a grad_fn that no backward was called from, offered to the person
  value INTEGER NOT NULL, name TEXT NOT NULL, spec INTEGER NOT NULL, grad_fn TEXT NOT NULL, stack INTEGER, op INTEGER
);
CREATE TABLE note (             -- what recording changed or left out: one plain sentence each
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, text TEXT NOT NULL, stack INTEGER, detail TEXT NOT NULL DEFAULT '{}'
);
CREATE TABLE output (           -- written by the supervisor
  id INTEGER PRIMARY KEY, stream TEXT NOT NULL, time REAL NOT NULL, data BLOB NOT NULL
);
