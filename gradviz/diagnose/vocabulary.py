"""Families of forward calls, by the names under which they are recorded."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ALIASES = {
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "true_divide": "div",
    "truediv": "div",
    "floordiv": "floor_divide",
    "negative": "neg",
    "absolute": "abs",
    "swapaxes": "transpose",
    "swapdims": "transpose",
    "concat": "cat",
    "concatenate": "cat",
    "greater": "gt",
    "less": "lt",
    "greater_equal": "ge",
    "less_equal": "le",
    "not_equal": "ne",
    "clip": "clamp",
    "power": "pow",
    "arccos": "acos",
    "arcsin": "asin",
    "type_as": "to",
}
# The last word of TensorFlow's names, where the family bears another.
TENSORFLOW = "tf."
_TENSORFLOW_ALIASES = {
    "expand_dims": "unsqueeze",
    "unstack": "unbind",
    "strided_slice": "getitem",
    "gather": "getitem",
    "reduce_sum": "sum",
    "reduce_mean": "mean",
    "reduce_prod": "prod",
    "reduce_max": "amax",
    "reduce_min": "amin",
    "reduce_all": "all",
    "reduce_any": "any",
    "reduce_euclidean_norm": "euclidean_norm",
    "divide_no_nan": "div",
    "floordiv": "floor_divide",
    "floormod": "remainder",
    "squared_difference": "dist",
    "equal": "eq",
    "top_k": "topk",
    "cast": "to",
    "clip_by_value": "clamp",
    "eigh": "linalg_eigh",
    "svd": "linalg_svd",
    "inv": "linalg_inv",
    "solve": "linalg_solve",
    "det": "linalg_det",
    "diag": "diag_embed",
    "diag_part": "diagonal",
    "stop_gradient": "detach",
    "fill": "full",
    "uniform": "rand",
    "normal": "randn",
    "read_value": "read_variable",
}
PYTHON_CONVERSIONS = frozenset({"__float__", "__int__", "__array__", "__index__", "__bool__", "__complex__"})
_ARITHMETIC = {"add", "sub", "mul", "div", "pow", "mod", "floordiv", "truediv", "matmul", "and", "or", "xor"}


def plain(name: str) -> str:
    """The family name of a call: 'sub' of '__rsub__' or 'sub_'; Python's own conversions keep their underscores."""
    if name in PYTHON_CONVERSIONS:
        return name
    short = name.strip("_").rpartition(".")[2]
    if name.startswith(TENSORFLOW) and short in _TENSORFLOW_ALIASES:
        return _TENSORFLOW_ALIASES[short]
    if name.startswith("__") and short[:1] in "ri" and short[1:] in _ARITHMETIC:
        short = short[1:]
    return _ALIASES.get(short, short)


def shown(name: str) -> str:
    """What a person calls it: the family's name, and TensorFlow's own where it has one."""
    return name if name.startswith(TENSORFLOW) else plain(name)


def last_word(name: str) -> str:
    """The last word of the call as the person wrote it, as far as the name tells."""
    return name.rpartition(".")[2] if name.startswith(TENSORFLOW) else plain(name)


def is_call_of(called: str, name: str) -> bool:
    """Whether `called`, the last word of a written call, is a word for the recorded call `name`."""
    return plain(called) == plain(name) or called == last_word(name)


def reflected(name: str) -> bool:
    """Whether the operands stand in the other order than written: `2 - x` is recorded as x.__rsub__(2)."""
    short = name.strip("_")
    return name.startswith("__") and short[:1] == "r" and short[1:] in _ARITHMETIC


# Take two tensors, entry by entry, and broadcast them.
PAIRWISE = _words(
    "add sub mul div pow floor_divide remainder fmod maximum minimum fmax fmin where atan2 hypot eq ne gt "
    "lt ge le logaddexp logaddexp2 addcmul addcdiv lerp dist masked_fill logical_and logical_or "
    "logical_xor and or xor xlogy isclose"
)
COMPARISONS = _words("eq ne gt lt ge le isclose logical_and logical_or logical_xor logical_not isnan isinf isfinite")
# Compare a prediction with a target, entry by entry: operands that broadcast are never meant.
PAIRED_LOSSES = _words(
    "mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits "
    "kl_div poisson_nll_loss gaussian_nll_loss soft_margin_loss"
)
LOSSES = PAIRED_LOSSES | _words(
    "cross_entropy nll_loss multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss "
    "hinge_embedding_loss margin_ranking_loss triplet_margin_loss triplet_margin_with_distance_loss "
    "cosine_embedding_loss ctc_loss"
)
# One tensor in, one of the same shape out, entry by entry.
UNARY = _words(
    "neg abs exp log log2 log10 log1p expm1 sqrt rsqrt square sin cos tan tanh sigmoid relu leaky_relu "
    "elu gelu silu softplus logsigmoid hardtanh relu6 selu clamp clamp_min clamp_max sign round floor "
    "ceil trunc frac erf reciprocal acos asin atan sinh cosh float double half bfloat16 int long bool to "
    "type contiguous clone detach requires_grad cpu cuda nan_to_num positive dropout zero fill "
    "logical_not bitwise_not data type_as view_as_real"
)
# Say on purpose where a dimension of size 1 goes.
ARRANGING = _words(
    "unsqueeze view reshape expand expand_as view_as reshape_as unflatten T mT H mH t transpose permute "
    "movedim moveaxis adjoint repeat repeat_interleave tile broadcast_to atleast_2d atleast_3d diag_embed "
    "outer meshgrid"
)
TRANSPOSING = _words("T mT H mH t transpose permute movedim moveaxis adjoint")
REDUCTIONS = _words(
    "sum mean prod amax amin max min norm vector_norm linalg_vector_norm linalg_norm var std logsumexp "
    "nansum nanmean median any all count_nonzero trace"
)
# Use a tensor's rows and columns as axes of their own: a sign that a table of pairs is meant.
TABLE_USERS = _words(
    "matmul mm bmm mv linear einsum baddbmm addmm tensordot softmax log_softmax triu tril diagonal diag "
    "argmin argmax topk sort argsort cholesky linalg_cholesky linalg_solve inverse linalg_inv linalg_eigh "
    "linalg_eigvalsh logsumexp cumsum cumprod gather scatter scaled_dot_product_attention masked_select "
    "bilinear conv1d conv2d det logdet slogdet linalg_det linalg_slogdet min max amin amax median "
    "fill_diagonal"
)
# Hand a value on without a way back for the gradient.
CUTS = (
    _words("detach data item tolist numpy argmax argmin argsort bernoulli multinomial long int bool Variable Parameter")
    | PYTHON_CONVERSIONS
    | COMPARISONS
)
LEAVES_FOR_PYTHON = _words("item tolist numpy") | PYTHON_CONVERSIONS
# Make a tensor of their own of one that they are given: a leaf, whatever it was computed from.
COPIERS = _words("tensor as_tensor asarray new_tensor Tensor FloatTensor DoubleTensor Variable Parameter")
CREATORS = _words(
    "tensor as_tensor from_numpy zeros ones full empty rand randn randint arange linspace logspace eye "
    "zeros_like ones_like full_like empty_like rand_like randn_like normal asarray randperm"
)
VIEWS = _words(
    "getitem select narrow slice view reshape view_as unsqueeze squeeze expand expand_as T mT H mH t "
    "transpose permute movedim moveaxis diagonal unbind split chunk flatten ravel unflatten detach data "
    "swapaxes tensor_split unfold real imag as_strided requires_grad"
)
