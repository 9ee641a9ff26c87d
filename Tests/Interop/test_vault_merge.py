"""How revisions that stand side by side are joined, judged by a model that shares no line with the vault.

The model knows title, password with history, passkeys, tags, the trash and dismissed conflicts. The Swift tests write what
each revision said into `Tests/TestVectors/vault/merges.json`, and check that it is what they still do.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TRACES = json.loads((ROOT / "Tests/TestVectors/vault/merges.json").read_text(encoding="utf-8"))
MODEL = Path(os.environ.get("WARD_MODELS", ROOT.parent / "shared/reference")) / "sync-model.py"

pytestmark = pytest.mark.skipif(not MODEL.is_file(), reason="needs the folder of models")


@pytest.fixture(scope="module")
def model():
    source = MODEL.read_text(encoding="utf-8").split('\nfor mode in("one","rec"):')[0]
    for before, after in {
        # Where both sides changed a passkey's names the model takes the larger value, the vault the later side's.
        "max(y,z)": "z",
        # Where the times in the trash differ the model takes the later side's, the vault compares whether the item is there.
        'if a["trash"]==b["trash"]: r': 'if a["trash"] and b["trash"]: r["trash"]=max(a["trash"],b["trash"])\n    elif not(a["trash"] or b["trash"]): r',
        'else: r["trash"]=b["trash"]': 'else: r["trash"]=None',
    }.items():
        assert source.count(before) == 1
        source = source.replace(before, after)
    names: dict = {}
    exec(compile(source, str(MODEL), "exec"), names)
    return names


def state(told):
    return {
        "title": told["title"],
        "pw": told.get("password"),
        "hist": frozenset(told["history"]),
        "pk": dict(told["passkeys"]),
        "tags": frozenset(told["tags"]),
        "trash": told.get("deletedAt"),
        "conf": frozenset((name.replace("password", "pw"), value) for name, value in told["conflicts"]),
    }


@pytest.mark.parametrize("trace", TRACES, ids=lambda trace: f"seed {trace['seed']}")
def test_the_model_joins_alike(model, trace):
    graph = model["G"]("rec")
    for place, told in enumerate(trace["revisions"]):
        parents = tuple(told["parents"])
        graph.add(model["E"](place, told["device"], told["time"], parents, state(told["state"]), told["number"]))
    assert graph.merged(graph.heads()) == state(trace["result"])


def test_the_traces_have_what_is_hard():
    several = [trace for trace in TRACES if any(len(told["parents"]) > 1 for told in trace["revisions"])]
    assert len(several) > len(TRACES) // 2
    assert any(trace["result"]["conflicts"] for trace in TRACES)
