"""Hints from column names, in several languages: identifier, quasi-identifier, sensitive, count.

Names are split into words: `PatientID`, `patient_id` and `patient id` are the same two words. In
the lists below, `*` stands for any letters; everything else is a regular expression.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final, Literal, NamedTuple

ColumnKind = Literal["identifier", "person", "number", "sensitive", "quasi-identifier", "count"]

PLACE: Final = "a place"


class Hint(NamedTuple):
    """The meaning of a column name.

    kind: `identifier` names a person directly; `person` is a number that stands for a person,
        `number` a number that stands for anything else; `sensitive` and `quasi-identifier` are the
        roles of the column; `count` says how many records a row stands for.
    topic: the subject in a few words, to be put into a sentence.
    of: where the hint comes from: the name of a column, or its label in a data dictionary.
    """

    kind: ColumnKind
    topic: str
    of: Literal["name", "label"] = "name"


# The first list that matches decides: "medical record number" is not health, "income of city" is
# not a place. Sensitive lists come before quasi-identifiers, because overlooking a sensitive column
# costs more.
# fmt: off
_VOCABULARY: Final[tuple[tuple[ColumnKind, str, str], ...]] = (
    ("identifier", "an official number", """
        ssn|nino|cpf|cnp|dni|nie|nif|bsn|mrn|pesel|aadhaar|iban|codice fiscale|personnummer
        |social security*|nhs (no|nr|number|id)|medical record*|health card*|insurance (no|number)
        |tax (id|no|number)|account (no|number)|card (no|number)|credit card|plate|kennzeichen
        |driv* licen*|passport*|pasaporte*|reisepass*|sozialversicherung*|sv nummer
        |kontonummer|versichert*nummer|steuer id|*身份证*|*护照*|*паспорт*"""),
    ("identifier", "a way to reach a person", """
        e mail*|email*|mail|*phone*|tel|*telefon*|mobile|fax|*mobil nr|handynummer|correo*|courriel
        |url|homepage|website|ip|ip addr*|mac addr*|device id|cookie*|twitter|facebook|instagram
        |*电话*|*手机*|*邮箱*|*電話*|*телефон*"""),
    ("identifier", "a person's name", """
        (first|last|full|given|family|middle|maiden|sur|fore|nick|user|patient|person|client
        |customer|employee|student) ?names?|surname|forename|username|login|initials
        |vornamen?|nachnamen?|familienname|geburtsname|prenom|nom de famille|apellidos?|cognome
        |sobrenome|prenume|nazwisko|imie|voornaam|achternaam|fornamn|efternamn|fornavn|etternavn
        |*姓名*|*氏名*|фамилия|имя|отчество|фио"""),
    ("person", "the ID of a person", """
        pseudonym|matrikelnummer|(patienten|fall|kunden|personal|mitglieds)nummer
        |(patient|patienten|person|personal|subject|participant|respondent|customer|client|user
        |member|employee|student|pupil|insured|individual|household|study) ?(id|ids|nr|no|num
        |number|nummer|key|code|uuid|guid|pseudonym)|*患者id*"""),
    ("number", "the ID of a row or a thing", """
        (record|row|case|sample|entry|obs|observation|line|visit|order|transaction|claim
        |event) ?(id|nr|no|num|number|nummer|key|uuid)|lfd nr|laufende nummer|*编号*"""),
    ("sensitive", "health", """
        disease*|illness*|sick*|*diagnos*|dx|icd|disorder*|symptom*|medic*|drug*|treatment*
        |therap*|prescri*|hiv|aids|*cancer*|tumou?r*|covid*|diabet*|health*|disabil*|pregnan*
        |mental*|psych*|alcohol*|smok*|blood*|cholesterol*|glucose|death*|mortality|condition
        |severity|stroke|hypertens*|heart*|cardi*|infect*|allerg*|asthma*|bmi|*krank*|befund*
        |behinderung*|schwanger*|maladie*|enfermedad*|malatti*|doenca*|boala|afectiun*|ziekte*
        |choroba|sjukdom*|*疾病*|*诊断*|*病*|болезн*|диагноз*"""),
    ("sensitive", "money", """
        *income*|*salar*|pay|payments?|paid|wages?|earnings?|*gains?|*loss|loss(es)?|debts?|loans?
        |credit*|balance|*wealth*|assets?|tax*|costs?|charges?|expens*|spend*|spent|revenue*
        |financ*|*einkommen*|*gehalt*|lohn|*verdienst*|*vermogen*|steuer*|schulden|kredit*
        |ingresos?|sueldo|renta|renda|reddito|stipendio|rendimento|rendement|venit*|salariu*
        |revenu*|dettes?|inkomen|zarobki|inkomst*|*收入*|*工资*|*薪*|*年収*|доход*|зарплата"""),
    ("sensitive", "belief, opinion or intimacy", """
        religio*|faith|*konfession*|belief*|politic*|partei*|votes?|voted|voting|trade union|sexual*
        |orientation|opinion*|*satisf*|*宗教*|религия"""),
    ("sensitive", "crime", """
        crim*|convict*|arrest*|offen[cs]e*|prison*|sentence|straftat*|vorstrafe*|delito*|*犯罪*"""),
    ("sensitive", "a mark or a test", "scores?|grades?|marks?|gpa|iq|exam*|noten?|*成绩*|оценка"),
    ("quasi-identifier", "age or birth", """
        age|ages|*birth*|dob|yob|born|alter|altersgruppe|*geburt*|geb|edad|eta|idade|varsta
        |leeftijd|geboorte*|wiek|alder|yas|naissance|nacimiento|nascita|nascimento|nasteri*
        |*年龄*|*年齢*|*出生*|*生年*|возраст*|*рожден*"""),
    ("quasi-identifier", PLACE, """
        zip*|postal*|postcode*|post code|plz|*postleitzahl*|codigo postal|city|cities|town|state
        |province*|provinz*|county|counties|country|countries|municip*|region*|district*|bezirk*
        |location*|residence*|neighbou?rhood*|fips|nuts|latitude|longitude|lat|lon|lng|gps|geo*
        |ort|*wohnort*|stadt|*gemeinde*|*land|ville|pays|ciudad*|pais|cidade|citta|paese|comune
        |oras|judet|tara|woonplaats|miasto|*城市*|*国家*|*地区*|*邮编*|город|страна|*индекс*"""),
    ("quasi-identifier", "sex", """
        sex|sexe|sexo|sesso|gender*|*geschlecht*|genero|geslacht|kon|kjønn|płec|*性别*|*性別*|пол"""),
    ("quasi-identifier", "origin", """
        races?|rasse|raza|ethnic*|ethnie|etnia|ancestry|tribe|caste|*nationalit*|nacionalidad*
        |nazionalit*|nationality|native*|citizen*|*staatsangehor*|staatsburger*|cetateni*|migra*
        |immigra*|*languages?|muttersprache|idioma|*民族*|*种族*|*国籍*|национальн*"""),
    ("quasi-identifier", "family", """
        *marital*|married|marriage|civil status|*familienstand*|zivilstand|etat civil|estado civil
        |stato civile|stare civila|burgerlijke staat|relationship*|household*|*haushalt*|children
        |kinder*|enfants|hijos|spouse*|dependents?|family*|*婚姻*|*семейн*"""),
    ("quasi-identifier", "education", """
        *education*|educ|school*|*schul*|*bildung*|degrees?|diploma|university|major|educacion
        |etudes|istruzione|studii|opleiding|wykształcenie|utbildning|*学历*|*教育*|образование"""),
    ("quasi-identifier", "work", """
        job*|*occupation*|profession*|*beruf*|work*|employ*|industry|sector|emploi|metier|trabajo
        |ocupacion|profesion|lavoro|professione|ocupatie|meserie|beroep|zawod|yrke|*职业*|*職業*
        |профессия|работа"""),
    ("quasi-identifier", "a day or a year", """
        date|dates|day|year|years|*datum|fecha|data nasc*|jahr|annee|admission*|admitted|discharge*
        |*日期*|дата|год"""),
    ("identifier", "an address", """
        *address*|*adress*|street*|*strasse|anschrift|direccion*|indirizzo*|house (no|number)
        |endereco|*地址*|*住所*|адрес"""),
)
# Words that count only if they are the whole name; a number may follow.
_ALONE: Final[tuple[tuple[ColumnKind, str, str], ...]] = (
    ("identifier", "a person's name", "names?|nom|nombre|nome|nume|naam|namn|navn|имя"),
    ("person", "the ID of a person", """
        id|ids|pid|uid|uuid|guid|identifier|identifiant|kennung|patient|subject|participant
        |respondent|person|student|employee|customer|client|member|user"""),
    ("number", "the ID of a row or a thing", """
        row|rownum|record|rec|case|obs|observation|entry|index|idx|serial|unnamed|column|level"""),
    ("sensitive", "an outcome", "class|target|label|outcome|result"),
    ("count", "a number of records", "n|counts?|freq|frequency|anzahl|records|effectif"),
)
# fmt: on
_LISTS: Final = (
    *((kind, topic, words, False) for kind, topic, words in _VOCABULARY),
    *((kind, topic, words, True) for kind, topic, words in _ALONE),
)
_LONGEST: Final = 200  # characters of a name that are examined

_STEP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[^\W\d])(?=\d)")
_BETWEEN: Final = re.compile(r"[\W_]+")


def hint(name: str) -> Hint | None:
    """Return the hint of a column name; None if no list matches.

    >>> hint("ZIPCode"), hint("Geburtsdatum").kind, hint("fnlwgt")
    (Hint(kind='quasi-identifier', topic='a place', of='name'), 'quasi-identifier', None)
    """
    words = _words(name[:_LONGEST])
    for kind, topic, listed, alone in _LISTS:
        if _pattern(listed, alone=alone).search(words):
            return Hint(kind, topic)
    return None


def has_persons(name: str) -> bool:
    """Return True if a column name suggests the ID of a person.

    Most names match no list of such IDs. Then the other lists are not compiled, which takes 10 ms.

    >>> has_persons("patient_id"), has_persons("age")
    (True, False)
    """
    words = _words(name[:_LONGEST])
    listed = [(said, alone) for kind, _, said, alone in _LISTS if kind == "person"]
    if not any(_pattern(said, alone=alone).search(words) for said, alone in listed):
        return False
    first = hint(name)
    return first is not None and first.kind == "person"


def _words(name: str) -> str:
    """Return the words of a name in lower case without accents, separated by single blanks."""
    return _BETWEEN.sub(" ", _folded(_STEP.sub(" ", name))).strip()


def _folded(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in apart if not unicodedata.combining(c))


@cache
def _pattern(words: str, *, alone: bool) -> re.Pattern[str]:
    """Return one regular expression for a list of words. It is slow to compile.

    alone: the words must be the whole name, except for a number behind them.
    """
    one_line = re.sub(r"\s*\n\s*", "", words.strip())
    listed = _folded(one_line).replace("*", r"\w*")
    return re.compile(rf"^(?:{listed})( \d+)?$" if alone else rf"(?<!\w)(?:{listed})(?!\w)")
