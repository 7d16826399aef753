"""Models and attacks of other packages: how they are found, and what is wrong with them."""

import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from example_packages import MAIN, installed
from example_packages import anonaudit as command_line

import anonaudit
from anonaudit.about import AboutModel
from anonaudit.attack import attacks
from anonaudit.auditing.bounds import InconsistencyError
from anonaudit.errors import AnonauditError
from anonaudit.findings import Measurement, Outcome, Witness
from anonaudit.models import MODELS
from anonaudit.plugins import ATTACKS, describe_attack, describe_model
from anonaudit.policy.policy import parse_policy
from anonaudit.report import to_json, to_text
from anonaudit.report.words.explanations import codes, explanation
from anonaudit.source import duck, duck_parts
from anonaudit.source.memory import TooManyCombinationsError
from anonaudit.type_check import misfits

TABLE = pd.DataFrame({"q": list("aabb"), "s": list("uvuv"), "t": list("wxwx")})
COLUMNS = "columns = { quasi-identifiers = ['q'], sensitive = ['s', 't'] }\n"
MODEL = '''
from __future__ import annotations
from dataclasses import dataclass
from typing import ClassVar
from anonaudit.about import AboutModel, Unasked
from anonaudit.models.level import measurement

@dataclass(frozen=True)
class Strange:
    """Says nothing of itself."""
    name: ClassVar[str] = "strange"
    most: int | None = None

    def measure(self, classes):
        sizes = {"": classes.sizes}
        return measurement(
            "strange", classes, sizes, parameters={"most": self.most}, required=self.most,
            safer="lower", details={"average": 2}
        )
'''
ATTACK = '''
from anonaudit.attack import judge
from anonaudit.findings import Disclosure
from anonaudit.about import AboutAttack, Bound, Unasked, discloses
from anonaudit.models import KAnonymity

class Strange:
    """Says nothing of itself.

    And no more.
    """
    name, knowledge, options = "strange", "nothing", ()

    def run(self, setting):
        n = setting.classes.total_rows
        return Disclosure("strange", "nothing", n, 0, n, 1.0, None, judge(1.0, setting.allowed))
'''


@pytest.fixture
def bring(tmp_path, monkeypatch):
    """Install a package with one model or attack, called strange unless another name is given."""

    def brought(kind, source, name="strange", value="strange:Strange"):
        installed(tmp_path / "site", kind, name, value, source)
        monkeypatch.syspath_prepend(tmp_path / "site")

    yield brought
    sys.modules.pop("strange", None)


def audited(policy):
    return anonaudit.audit(TABLE, parse_policy(COLUMNS + policy))


@pytest.mark.parametrize(
    ("kind", "source", "said"),
    [
        ("models", "raise ValueError", "cannot be loaded (ValueError)"),
        ("models", "import absent_module", "cannot be loaded (ModuleNotFoundError)"),
        ("models", MODEL.replace("Strange", "Loud"), "cannot be loaded (AttributeError)"),
        ("models", MODEL.replace('str] = "strange"', 'str] = "loud"'), "has the name 'loud'"),
        ("models", MODEL.replace("measure(", "look("), "has no method measure"),
        ("models", MODEL.replace("@dataclass(frozen=True)", ""), "has no fields of a dataclass"),
        ("attacks", "raise ValueError", "cannot be loaded (ValueError)"),
        ("attacks", ATTACK.replace('= "strange"', '= "loud"'), "has the name 'loud'"),
        ("models", "import sys; sys.exit(0)", "cannot be loaded (SystemExit)"),
        (
            "models",
            MODEL + "    about = AboutModel(by_class='yes')",
            "type (about.by_class: expected bool);",
        ),
        (
            "models",
            MODEL + "    about = 5",
            "has a value of a wrong type (about: expected AboutModel);",
        ),
        ("attacks", "import sys; sys.exit(0)", "cannot be loaded (SystemExit)"),
        (
            "attacks",
            ATTACK + "    about = AboutAttack(bounds=3)",
            "type (about.bounds: expected tuple[Bound, ...]);",
        ),
        (
            "attacks",
            ATTACK.replace('"nothing", ()', '"nothing", 5'),
            "type (options: expected tuple[str, ...]);",
        ),
        ("attacks", ATTACK.replace("run(", "walk("), "has no method run"),
        ("attacks", ATTACK.replace("knowledge, options", "known, options"), "has no knowledge"),
    ],
)
def test_a_class_that_is_broken_is_named_in_every_audit(bring, kind, source, said):
    bring(kind, source)
    wrong = rf"the {kind[:-1]} 'strange' \(strange:Strange\) .*"
    for action in (
        lambda: audited(f"[{'require' if kind == 'models' else 'attacks'}]\nstrange = {{}}"),
        lambda: audited(""),
        lambda: explanation("strange"),
    ):
        with pytest.raises(AnonauditError, match=wrong) as raised:
            action()
        assert said in str(raised.value)
    assert codes()["strange"] == kind[:-1]  # the others can be listed


def test_another_package_called_attacks_is_named(tmp_path):
    """The wheel has a package of that name, which another may hide (docs/versioning.md)."""
    (tmp_path / "attacks").mkdir()
    (tmp_path / "attacks" / "__init__.py").touch()
    table = str(anonaudit.datasets.path("TV06/table1.csv"))
    command = [sys.executable, "-m", "anonaudit", "audit", table, "-q", "age", "-s", "illness"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert f"in the package 'attacks' of {tmp_path / 'attacks'}" in ended.stderr


def test_two_classes_of_one_name_are_an_error(bring):
    bring("models", MODEL, name="k-anonymity")
    with pytest.raises(AnonauditError, match="two packages have the model 'k-anonymity'"):
        audited("")


def test_names_are_there_without_loading(bring):
    bring("models", "raise ValueError")
    assert "strange" in MODELS
    assert "strange" in [*MODELS]
    assert "k-map" in MODELS
    assert [*MODELS] == sorted(MODELS)
    assert len(MODELS) == len([*MODELS])
    assert not MODELS.ours("strange")
    assert MODELS.ours("k-map")
    assert not MODELS.ours("no-such-model")


def test_nothing_is_left_when_the_path_changes_back(bring, monkeypatch):
    bring("attacks", ATTACK)
    assert "strange" in attacks()
    monkeypatch.undo()
    assert "strange" not in attacks()


def test_one_that_says_nothing_is_reported_with_its_numbers(bring):
    bring("models", MODEL)
    report = audited("require.strange = { most = 1 }")
    found = report.models[0]
    assert (found.model, found.measured, found.outcome) == ("strange", 2, "violated")
    assert describe_model("strange") == AboutModel()
    text = to_text(report)
    assert "Also: average = 2." in text  # not the words that our own models have for it
    assert "strange" not in [m["name"] for m in json.loads(to_json(audited("")))["models"]]
    assert explanation("strange")[1] == "Says nothing of itself."


def test_an_attack_that_says_nothing_is_reported_and_explained(bring):
    bring("attacks", ATTACK)
    report = audited("attacks.strange = { allow-rate = 0.5 }")
    assert report.attacks[0].outcome == "violated"
    found = explanation("strange")
    assert (found.kind, found.means) == ("attack", "Says nothing of itself.")
    assert found.matters == "The adversary knows nothing."


UNASKED = MODEL.replace(
    "    most: int",
    "    about: ClassVar[AboutModel] = AboutModel(level='n', means='A {set} of {people}', "
    "unasked=(Unasked(place=15), Unasked(form={'most': 4})))\n    most: int",
)


def test_the_places_of_what_is_measured_unasked(bring):
    """After k-anonymity (10); and once more, last, with the parameters of its form."""
    bring("models", UNASKED)
    models = audited("").models
    assert [m.model for m in models[:2]] == ["k-anonymity", "strange"]
    assert models[-1].model == "strange"
    assert (models[1].parameters, models[-1].parameters) == ({}, {"most": 4})
    asked = audited("require.strange = { most = 4 }").models
    assert [m.model for m in asked].count("strange") == 1
    other = audited("require.strange = { most = 3 }").models
    assert [m.parameters for m in other if m.model == "strange"] == [{"most": 3}, {"most": 4}]
    assert "A {set} of rows." in to_text(audited(""))


def test_an_attack_is_run_unasked_if_the_audit_has_what_it_needs(bring):
    about = "\n    about = AboutAttack(unasked=(Unasked(),))\n"
    bring("attacks", ATTACK.replace('"nothing", ()', '"nothing", ()' + about))
    assert [a.attack for a in audited("").attacks] == ["homogeneity", "strange"]
    asked = audited("attacks.strange = {}\nattacks.elimination = {}").attacks
    assert [a.attack for a in asked] == ["strange", "elimination", "homogeneity"]


def test_a_class_on_request_is_loaded_only_if_the_policy_names_it(bring):
    bring("models.on_request", MODEL)
    assert "strange" not in [m.model for m in audited("").models]
    assert "strange" not in sys.modules
    asked = audited("require.strange = { most = 4 }").models
    assert [m.model for m in asked].count("strange") == 1


def test_a_class_on_request_must_not_ask_to_be_used_unasked(bring):
    bring("models.on_request", UNASKED)
    with pytest.raises(AnonauditError, match=r"must be in the group 'anonaudit\.models', not"):
        audited("require.strange = { most = 4 }")


@pytest.mark.parametrize("plugins", [MODELS, ATTACKS], ids=["models", "attacks"])
def test_our_classes_on_request_are_those_that_no_audit_uses_unasked(plugins):
    loaded = {name for name, _ in plugins.without_request()}
    assert loaded == {name for name, kind in plugins.items() if kind.about.unasked}


def test_an_audit_does_not_load_what_it_does_not_use():
    code = (
        "import sys\nfrom anonaudit.cli import main\n"
        "try:\n    main()\nfinally:\n    print(*sys.modules, file=sys.stderr)\n"
    )
    table = str(anonaudit.datasets.path("TV06/table1.csv"))
    command = [sys.executable, "-c", code, "audit", table, "-q", "age", "-s", "illness", "--quiet"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    loaded = set(ended.stderr.split())
    assert {"anonaudit.models.k_anonymity", "attacks.homogeneity"} <= loaded
    unused = {"anonaudit.models.ck_safety", "anonaudit.models.likeness", "attacks.linkage"}
    assert not unused & loaded


WHOLE = MODEL.replace(
    "    most: int",
    "    about: ClassVar[AboutModel] = AboutModel(unasked=(Unasked(),){more})\n    most: int",
)


@pytest.mark.parametrize(
    ("more", "measured", "refused"),
    [
        ("", False, "strange"),
        (", by_class=True", True, None),
        (", by_class=True, only_with={'most': 2}", True, "strange with most"),
    ],
)
def test_only_what_is_decided_by_class_is_measured_in_parts(
    bring, tmp_path, monkeypatch, more, measured, refused
):
    """Levels are put together by taking the worst, which is wrong for an average."""
    bring("models", WHOLE.replace("{more}", more))
    TABLE.to_csv(tmp_path / "release.csv", index=False)

    def in_parts(policy):
        left = [TooManyCombinationsError(1, 1, 1)]

        def refuse_once(*_):
            if left:
                raise left.pop()

        monkeypatch.setattr(duck, "check_combinations", refuse_once)
        monkeypatch.setattr(duck_parts, "parts_needed", lambda *_: 2)
        return anonaudit.audit(tmp_path / "release.csv", parse_policy(COLUMNS + policy))

    names = [model.model for model in in_parts("").models]
    assert "k-anonymity" in names
    assert ("strange" in names) == measured
    policy = "require.strange = { most = 1 }"
    if refused is None:
        [found] = [model for model in in_parts(policy).models if model.model == "strange"]
        assert (found.measured, found.outcome, found.classes_violating) == (2, "violated", 2)
    else:
        with pytest.raises(AnonauditError, match=rf"in parts because of {refused}\."):
            in_parts(policy)


def test_external_asks_for_every_attack_that_links(bring):
    about = "\n    about = AboutAttack(links=True)\n"
    bring("attacks", ATTACK.replace('"nothing", ()', '"nothing", ("external",)' + about))
    policy = parse_policy(COLUMNS).linked_with(pd.DataFrame({"q": ["a"]}))
    assert [request.name for request in policy.attacks] == ["linkage", "strange"]


@pytest.mark.parametrize(("k", "contradicts"), [(2, True), (3, False)])
def test_a_theorem_of_another_package_is_checked(bring, k, contradicts):
    """TABLE has two classes of two rows, and the attack claims to disclose everybody."""
    about = (
        "\n    about = AboutAttack(bounds=(Bound(model=KAnonymity, broken=lambda k, o, found: "
        f"discloses(found, 'k = 2') if k >= {k} else None),))\n"
    )
    bring("attacks", ATTACK.replace('"nothing", ()', '"nothing", ()' + about))
    assert len(describe_attack("strange").bounds) == 1
    if contradicts:
        with pytest.raises(InconsistencyError, match="strange discloses 4 of 4 although k = 2"):
            audited("attacks.strange = {}")
    else:
        assert audited("attacks.strange = {}").attacks[0].disclosed == 4


@pytest.mark.parametrize(
    ("kind", "source", "policy"),
    [
        ("models", MODEL.replace("sizes = {", "1 / 0; sizes = {"), "require.strange.most = 2"),
        ("attacks", ATTACK.replace("n = s", "1 / 0; n = s"), "attacks.strange = {}"),
    ],
)
def test_one_that_fails_is_named(bring, kind, source, policy):
    bring(kind, source)
    name = f"the {kind[:-1]} 'strange' failed \\(ZeroDivisionError\\)"
    with pytest.raises(AnonauditError, match=name):
        audited(policy)


@pytest.mark.parametrize(
    "written",
    [
        "classes.sizes",
        "classes.class_of",
        "classes.base.counts",
        "classes.keys.codes",
        "classes.sensitive['s'].count",
        "classes.sensitive['s'].rank",
        "classes.sensitive['s'].distinct",
        "classes.sensitive['s'].largest",
        "classes.sensitive['s'].shares",
        "classes.sensitive['s'].overall",
    ],
)
@pytest.mark.parametrize("kind", ["models", "attacks"])
def test_one_that_would_change_what_others_measure_is_named(bring, kind, written):
    """Each class has 2 rows. With 9 written into the sizes, k = 3 would hold."""
    if kind == "models":
        source = UNASKED.replace(
            "        sizes = {", f"        {written}[:] = 9\n        sizes = {{"
        )
        policy = "require.k-anonymity.k = 3"
    else:
        source = ATTACK.replace("n = s", f"setting.{written}[:] = 9; n = s")
        policy = "attacks.strange = {}"
    bring(kind, source)
    with pytest.raises(AnonauditError, match=f"the {kind[:-1]} 'strange' failed \\(ValueError"):
        audited(policy)


def test_the_counts_of_an_attribute_cannot_be_exchanged(bring):
    bring("attacks", ATTACK.replace("n = s", "setting.classes.sensitive['s'] = None; n = s"))
    with pytest.raises(AnonauditError, match=r"'strange' failed \(TypeError\)"):
        audited("attacks.strange = {}")


@pytest.mark.parametrize(
    ("kind", "source", "where"),
    [
        ("models", MODEL.replace("return", "return None and"), "result: expected Measurement"),
        ("attacks", ATTACK.replace("return", "return None and"), "result: expected Disclosure"),
        (
            "attacks",
            ATTACK.replace('"nothing", n', '"nothing", "4"'),
            "result.targets: expected int",
        ),
    ],
)
def test_one_that_returns_something_else_is_named(bring, kind, source, where):
    bring(kind, source)
    said = f"the result of the {kind[:-1]} 'strange' is wrong: a value has a wrong type ({where});"
    with pytest.raises(AnonauditError, match=re.escape(said)):
        audited("require.strange.most = 2" if kind == "models" else "attacks.strange = {}")


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        ("models", "raise SystemExit(0)"),
        ("models", UNASKED.replace("sizes = {", "raise SystemExit(0); sizes = {")),
        (
            "attacks",
            ATTACK.replace(
                '"nothing", ()',
                '"nothing", ()\n    about = AboutAttack(unasked=(Unasked(),), bounds=(Bound('
                "model=KAnonymity, broken=lambda k, o, found: exit(0)),))",
            ),
        ),
    ],
    ids=["when it is loaded", "when it measures", "in a theorem"],
)
def test_one_that_ends_python_does_not_end_a_command_as_if_it_passed(tmp_path, kind, source):
    if kind == "attacks":
        source = "from anonaudit.models import KAnonymity\n" + source
    installed(tmp_path, kind, "strange", "strange:Strange", source)
    table = anonaudit.datasets.path("TV06/table1.csv")
    ended = command_line(tmp_path, "audit", table, "-q", "age", "-s", "illness", "--quiet")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert f"the {kind[:-1]} 'strange'" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_one_that_ends_python_in_a_theorem_does_not_end_a_script(bring):
    about = "about = AboutAttack(bounds=(Bound(model=KAnonymity, broken=lambda *_: exit(0)),))"
    bring("attacks", ATTACK.replace('"nothing", ()', f'"nothing", ()\n    {about}'))
    with pytest.raises(AnonauditError, match=r"the attack 'strange' failed \(SystemExit\)"):
        audited("attacks.strange = {}")


@pytest.mark.parametrize("command", ["check", "matrix"])
def test_a_signal_is_no_fault_of_the_class_that_it_interrupts(tmp_path, command):
    """Otherwise `check` would go on with the next policy, and `matrix` with the next cell."""
    source = ATTACK.replace(
        "n = s", "print('here', flush=True); import time; time.sleep(60); n = s"
    )
    installed(tmp_path / "site", "attacks", "strange", "strange:Strange", source)
    folder = tmp_path / "policies"
    folder.mkdir()
    TABLE.to_csv(folder / "release.csv", index=False)
    for name in ("a", "b"):
        (folder / f"{name}.anonaudit.toml").write_text(
            f"release.file = 'release.csv'\n{COLUMNS}require.k-anonymity.k = 2\nattacks.strange = {{}}"
        )
    asked = {
        "check": ["check", folder],
        "matrix": ["matrix", folder / "release.csv", folder / "a.anonaudit.toml"],
    }
    with subprocess.Popen(
        [sys.executable, "-c", MAIN, *map(str, asked[command]), "--quiet"],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout.readline() == "here\n"
        running.terminate()
        said = running.communicate(timeout=30)[1]
    assert running.returncode == 128 + signal.SIGTERM
    assert said.startswith("interrupted; ")


@pytest.mark.parametrize("ending", ["pytest.skip('x')", "pytest.xfail('x')", "exit(0)"])
def test_one_that_skips_its_test_fails_the_audit(bring, ending):
    bring("attacks", ATTACK.replace("n = s", f"import pytest; {ending}; n = s"))
    with pytest.raises(AnonauditError, match="the attack 'strange' failed"):
        audited("attacks.strange = {}")


def test_one_that_changes_the_numbers_of_values_changes_its_own_only(bring):
    """The class has the numbers 10 to 40, so its range is 30; times 100 it would satisfy e = 60."""
    source = MODEL.replace("dataclass\n", "dataclass, field\n").replace(
        "    most: int | None = None",
        "    most: int | None = None\n    scale: dict = field(default_factory=dict)",
    )
    loop = "[one.update({x: 100 * v for x, v in one.items()}) for one in self.scale.values()]"
    bring("models", source.replace("sizes = {", f"{loop}; sizes = {{"))
    table = pd.DataFrame({"q": list("aaaa"), "s": [10, 20, 30, 40]})
    columns = "columns = { quasi-identifiers = ['q'], sensitive = ['s'] }\n"
    policy = "[require]\nstrange = { most = 9 }\nk-e-anonymity = { k = 2, e = 60 }"
    found = anonaudit.audit(table, parse_policy(columns + policy)).models
    assert [m.measured for m in found if m.model == "k-e-anonymity"] == [30]


@pytest.mark.parametrize(
    ("kind", "changed", "said"),
    [
        ("models", "outcome=Outcome.HOLDS", "classes or rows fall short"),
        ("models", "outcome=Outcome.HOLDS, classes_violating=0, rows_violating=0", "less safe"),
        ("models", "measured=None, outcome=Outcome.HOLDS, classes_violating=0, rows_violating=0",
         "has no level"),
        ("models", "measured=float('nan')", "its level is not a number"),
        ("models", "rows_violating=-1", "a count is negative"),
        ("models", "model='k-anonymity'", "it names the model 'k-anonymity'"),
        ("models", "witness=replace(found.witness, class_number=2)", "is no class of the release"),
        ("attacks", "outcome=Outcome.HOLDS", "it holds, but with its rate"),
        ("attacks", "outcome=Outcome.HOLDS, rate=0.0, undecided=1", "undecided targets it is incon"),
        ("attacks", "outcome=Outcome.HOLDS, rate=None", "it is inconclusive"),
        ("attacks", "rate=float('nan')", "its rate is not between 0 and 1"),
        ("attacks", "rate=-0.5", "its rate is not between 0 and 1"),
        ("attacks", "disclosed=-1", "a count is negative"),
        ("attacks", "attack='linkage'", "it names the attack 'linkage'"),
    ],
)  # fmt: skip
def test_a_result_that_contradicts_itself_is_no_pass(bring, kind, changed, said):
    """The sizes are 2 where 1 is the most allowed; the attack discloses everybody."""
    result = {"models": "measurement(", "attacks": "Disclosure("}[kind]
    source = {"models": MODEL, "attacks": ATTACK}[kind].replace(
        f"return {result}", f"found = {result}"
    )
    end = "        )\n" if kind == "models" else "setting.allowed))\n"
    assert source.endswith(end)
    source += f"        return replace(found, {changed})\n"
    bring(
        kind,
        "from dataclasses import replace\nfrom anonaudit.findings import Outcome\n"
        + source.replace("from __future__ import annotations\n", ""),
    )
    policy = "require.strange.most = 1" if kind == "models" else "attacks.strange.allow-rate = 0.0"
    with pytest.raises(
        AnonauditError, match=f"the result of the {kind[:-1]} 'strange' is wrong: .*{said}"
    ):
        audited(policy)


def test_numbers_of_numpy_are_numbers(bring):
    source = ATTACK.replace("n = setting.classes.total_rows", "n = setting.classes.rows.sum()")
    bring("attacks", source)
    assert json.loads(to_json(audited("attacks.strange = {}")))["attacks"][0]["targets"] == 4


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"measured": None}, []),
        ({"measured": "3"}, ["m.measured: expected Number | None"]),
        ({"safer": "more"}, ["m.safer: expected Literal['higher', 'lower']"]),
        ({"notes": ["a"]}, ["m.notes: expected tuple[str, ...]"]),
        ({"notes": ("a", 1)}, ["m.notes: expected tuple[str, ...]"]),
        ({"witness": Witness("3", 2)}, ["m.witness: expected Witness | None"]),
        ({"per_attribute": {"s": 1}}, ["m.per_attribute: expected Mapping[str, AttributeLevel]"]),
        ({"violating": [True]}, ["m.violating: expected npt.NDArray[np.bool_] | None"]),
    ],
    ids=lambda one: str(one)[:30],
)
def test_the_parts_of_a_result_that_do_not_have_their_types(changed, said):
    result = Measurement("m", {"k": 2}, np.int64(2), 3, "higher", Outcome.VIOLATED)
    assert misfits("m", replace(result, **changed), Measurement) == said


def test_our_own_failures_are_not_blamed_on_a_package():
    with pytest.raises(ZeroDivisionError), ATTACKS.blamed("homogeneity"):
        raise ZeroDivisionError


def test_a_requirement_that_a_model_passes_over_is_no_pass(bring):
    """It measures 2 where 1 is required, and says that nothing was."""
    bring("models", MODEL.replace("required=self.most", "required=None"))
    with pytest.raises(AnonauditError, match="'strange' is required but does not say whether"):
        audited("require.strange = { most = 1 }")


def test_annotations_that_cannot_be_read_are_named(bring):
    bring("models", MODEL.replace("most: int | None", "most: Hidden | None"))
    with pytest.raises(AnonauditError, match=r"strange:Strange.*Hidden"):
        parse_policy(COLUMNS + "require.strange.most = 1")
