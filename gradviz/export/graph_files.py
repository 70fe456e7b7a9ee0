"""The graph for other programs: DOT, GraphML, JSON. What is drawn is what is written: folded groups stay folded."""

from __future__ import annotations

import json
from dataclasses import dataclass

import networkx as nx
import numpy as np
from graphviz import Digraph, escape

from gradviz.draw.telling import Tell, nobody, told
from gradviz.scene.model import NO_EDGE, Draft, Kind, Look, Scene, State, States
from gradviz.scene.texts import Texts
from gradviz.scene.words import plain_text

_DOT_COLORS = {
    State.PENDING: ("#FFFFFF", "#7F8897"),
    State.DONE: ("#E3F2EE", "#076651"),
    State.CURRENT: ("#E4EDFD", "#2358C8"),
    State.FAILED: ("#FCEAE2", "#B83208"),
    State.NEVER: ("#FFFFFF", "#686F7A"),
    State.STILL: ("#FFFFFF", "#7F8897"),
}
_DOT_SHAPES = {
    Kind.LEAF: "box",
    Kind.CUSTOM: "octagon",
    Kind.GROUP: "box3d",
    Kind.SEED: "invhouse",
    Kind.CONSTANT: "box",
}
_DOT_STYLES = {State.NEVER: "filled,dashed,rounded", State.STILL: "dotted"}
_DOT_EDGES = {
    "failed": {"color": "#B83208", "fontcolor": "#B83208", "penwidth": "2"},
    "constant": {"style": "dotted"},
}
_DOT_NODE = {"fontname": "Helvetica", "fontsize": "11", "style": "filled,rounded", "shape": "box"}
_DOT_EDGE = {"fontname": "Courier", "fontsize": "9"}


@dataclass(frozen=True)
class DrawnNode:
    id: str
    name: str
    detail: str
    kind: str
    state: str
    module: str
    step: int  # -1: never ran
    finding: str  # severity, "" none
    x: float
    y: float


@dataclass(frozen=True)
class DrawnEdge:
    tail: str
    head: str
    shape: str
    expected: str  # where it differs from what was received
    state: str


def drawn(scene: Scene, texts: Texts, states: States, tell: Tell = nobody) -> tuple[list[DrawnNode], list[DrawnEdge]]:
    """All boxes and edges in words."""
    draft = scene.draft
    severity = {badge.box: badge.severity for badge in draft.badges}
    nodes = [
        DrawnNode(
            id=f"n{box}",
            name=plain_text(" ".join(part for part in (texts.name(draft, box), draft.chips.get(box, "")) if part)),
            detail=plain_text(_detail(draft, texts, box)),
            kind=Kind(int(draft.kind[box])).name.lower(),
            state=State(int(states.box[box])).name.lower(),
            module=plain_text(draft.cards[int(draft.inside[box])].path) if draft.inside[box] >= 0 else "",
            step=int(draft.step_first[box]),
            finding=severity.get(box, ""),
            x=round(float(scene.x[box]), 1),
            y=round(float(scene.y[box]), 1),
        )
        for box in told(range(len(draft)), tell, 0, len(draft) + draft.edges)
    ]
    framed = {label.edge: label for label in draft.framed}
    edges = []
    for edge in told(range(draft.edges), tell, len(draft), len(draft) + draft.edges):
        label = framed.get(edge)
        edges.append(
            DrawnEdge(
                tail=f"n{int(draft.tail[edge])}",
                head=f"n{int(draft.head[edge])}",
                shape=label.text if label is not None else draft.labels[int(draft.label[edge])],
                expected=label.expected if label is not None else "",
                state=Look(int(states.edge[edge])).name.lower() if draft.edge[edge] != NO_EDGE else "constant",
            )
        )
    return nodes, edges


def _detail(draft: Draft, texts: Texts, box: int) -> str:
    if draft.kind[box] == Kind.GROUP:
        card = draft.cards[int(draft.card[box])]
        return " · ".join(part for part in (card.class_name, card.shapes) if part)
    return texts.second(draft, box)


def dot_of(scene: Scene, texts: Texts, states: States, title: str, tell: Tell = nobody) -> str:
    """Graphviz source; open groups are clusters."""
    nodes, edges = drawn(scene, texts, states, tell)
    draft = scene.draft
    graphs = {
        -1: Digraph(
            escape(title),
            graph_attr={"rankdir": "LR" if draft.across else "TB"},
            node_attr=_DOT_NODE,
            edge_attr=_DOT_EDGE,
        )
    }
    children: dict[int, list[int]] = {}
    for card in draft.open_cards:
        one = draft.cards[card]
        label = escape(f"{one.title} {one.class_name}".strip())
        graphs[card] = Digraph(f"cluster_{card}", graph_attr={"label": label})
        children.setdefault(one.parent, []).append(card)
    for box, inside in enumerate(draft.inside.tolist()):
        _dot_node(graphs[inside], nodes[box], int(draft.kind[box]), int(states.box[box]))
    # An explicit stack: modules may be nested deeper than Python recurses. A cluster is copied whole into its parent,
    # so the innermost come first.
    order, work = [], list(reversed(children.get(-1, [])))
    while work:
        order.append(work.pop())
        work += reversed(children.get(order[-1], []))
    for card in reversed(order):
        graphs[draft.cards[card].parent].subgraph(graphs[card])
    for edge in edges:
        label = f"{edge.expected} ≠ {edge.shape}" if edge.expected else edge.shape
        graphs[-1].edge(edge.tail, edge.head, label=escape(label), _attributes=_DOT_EDGES.get(edge.state))
    return str(graphs[-1].source)


def _dot_node(graph: Digraph, node: DrawnNode, kind: int, state: int) -> None:
    fill, line = _DOT_COLORS[State(state)]
    more = {"fillcolor": fill, "color": line}
    if kind in _DOT_SHAPES:
        more["shape"] = _DOT_SHAPES[Kind(kind)]
    if state in _DOT_STYLES:
        more["style"] = _DOT_STYLES[State(state)]
    label = "\\n".join(escape(text) for text in (node.name, node.detail) if text)  # DOT's own sign for a new line
    graph.node(node.id, label=label, _attributes=more)


def graphml_of(scene: Scene, texts: Texts, states: States, tell: Tell = nobody) -> str:
    """GraphML with all that is known of nodes and edges as attributes."""
    nodes, edges = drawn(scene, texts, states, tell)
    graph: nx.MultiDiGraph = nx.MultiDiGraph()
    for node in nodes:
        graph.add_node(node.id, **{name: value for name, value in vars(node).items() if name != "id"})
    for edge in edges:
        graph.add_edge(edge.tail, edge.head, shape=edge.shape, expected=edge.expected, state=edge.state)
    return "\n".join(nx.generate_graphml(graph, named_key_ids=True)) + "\n"


def json_of(scene: Scene, texts: Texts, states: States, title: str, tell: Tell = nobody) -> str:
    """Nodes, edges and groups as JSON."""
    nodes, edges = drawn(scene, texts, states, tell)
    groups = [
        {
            "path": card.path,
            "title": card.title,
            "class": card.class_name,
            "nodes": card.nodes,
            "parameters": card.parameters,
            "shapes": card.shapes,
            "gradient": card.norm_words,
        }
        for card in scene.draft.cards
    ]
    whole = {
        "format": 1,
        "title": title,
        "position": states.position,
        "nodes": [vars(node) for node in nodes],
        "edges": [vars(edge) for edge in edges],
        "groups": groups,
    }
    return json.dumps(whole, ensure_ascii=False, indent=1, default=_plain) + "\n"


def _plain(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} in a graph's JSON")
