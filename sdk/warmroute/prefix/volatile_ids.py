"""Ids, counters, timestamps and temporary paths as programs write them."""

from __future__ import annotations

from warmroute.prefix.volatile_kind import VolatileKind

_WORD_START, _WORD_END = r"(?<![0-9A-Za-z_-])", r"(?![0-9A-Za-z_-])"

_IN_PATH = r"[^\s\"'<>]{0,160}"
_RANDOM_NAME = rf"{_IN_PATH}(?:[0-9]|tmp[a-z0-9_]{{8}}(?![A-Za-z0-9_])|tmp\.[A-Za-z0-9]{{6}}){_IN_PATH}"
"""A number or ``tmp…`` as Python and mktemp make it: ``/tmp/output`` is the same in every call."""

_SEPARATORS, _FOLDER = r"[\\/]{1,4}", r"[^\s\"'<>\\/]{1,64}"
_ON_WINDOWS = (
    rf"(?:(?:[A-Za-z]:|\\\\{_FOLDER}){_SEPARATORS}(?:{_FOLDER}{_SEPARATORS}){{0,12}}?|%)(?i:te?mp)%?{_SEPARATORS}"
)

_PREFIXES = (
    "req|request|call|chatcmpl|cmpl|resp|msg|message|sess|session|run|thread|conv|conversation|toolu|trace|span|corr"
    "|batch|user|usr|cust|customer|cus|tenant|org|evt|event|txn|job|task|ticket"
)
_RANDOM_PART = (
    r"(?:[0-9]{6,32}|(?=[A-Za-z]{0,32}[0-9]{1,32}[A-Za-z]{1,32}[0-9])[A-Za-z0-9]{8,128}"
    r"|(?=[A-Za-z0-9]{0,126}[0-9]{2})[A-Za-z0-9]{20,128})(?![A-Za-z0-9])"
)
"""Digits in two places: ``run_query_v2`` and ``call_sha256sum`` are names."""

_NAMES = (
    "conversation|session|request|message|trace|run|thread|user|chat|turn|tenant|customer|correlation|case|ticket|order"
    "|job|task|transaction|execution|invocation|span|device|visitor|member|interaction|operation"
    "|kunden|sitzungs|benutzer|nutzer|anfrage|mandanten|vorgangs"
)
_IDS_ELSEWHERE = (
    r"ID (?:de |del |da |do |du |della |des |der |d')?(?:la )?"
    r"(?:sesión|sessione?|sessão|usuario|utilisateur|utente|usuário|cliente?|requête|solicitud|sitzung|anfrage)"
    r"|(?:会话|用户|请求|客户|租户|セッション|ユーザー?|リクエスト|사용자|세션|요청) ?ID"
)
_NOT_A_TYPE = (
    r"(?!(?i:u?int|float|decimal|numeric|double|string|str|text|varchar|n?char|bytes?|binary|bit|uuid_?v?|guid|sha_?|md"
    r"|base|utf|hex|blob|long|number|integer|bigint|ulid)[-_]?[0-9]{1,4}(?:\([0-9]+\))?(?![0-9A-Za-z_-])"
    r"|(?i:[iuf](?:8|16|32|64|128)|w3c|e164|x509)(?![0-9A-Za-z_-]))"
    r"(?![0-9]+[- ](?i:digit|char|byte|bit|letter|symbol|to |bis |or ))"
)
"""``user_id: int64`` and ``user id: 10-digit number`` say what an id looks like."""

BEFORE_DATES = (
    # The more telling kind first: a path with a UUID in it is a path.
    (VolatileKind.TEMPORARY_PATH, ("tmp/",), rf"(?:/private)?(?:/var)?/tmp/+{_RANDOM_NAME}"),
    (VolatileKind.TEMPORARY_PATH, ("/var/folders/",), r"/var/folders/[^\s\"'<>]{1,160}"),
    (VolatileKind.TEMPORARY_PATH, (r"mp%?[\\/]", r"MP%?[\\/]"), rf"(?<![A-Za-z0-9]){_ON_WINDOWS}{_RANDOM_NAME}"),
    (
        VolatileKind.UUID,
        (r"-[0-9A-Fa-f]{4}-",),
        r"(?<![0-9A-Fa-f])(?!0{8}-)[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}(?![0-9A-Fa-f])",
    ),
    (
        VolatileKind.HEX_ID,
        (r"-[0-9a-f]{16}",),
        (
            rf"{_WORD_START}(?:[0-9a-f]{{2}}-[0-9a-f]{{32}}-[0-9a-f]{{16}}-[0-9a-f]{{2}}|1-[0-9a-f]{{8}}-[0-9a-f]{{24}}"
            rf"|[0-9a-f]{{32}}-[0-9a-f]{{16}}(?:-[01d](?:-[0-9a-f]{{16}})?)?){_WORD_END}"
        ),
    ),
)
"""Kind, signs of which one is part of every match, and the pattern: what comes before any date."""

BEHIND_DATES = (
    # A ULID of the years 2004 to 2039.
    (VolatileKind.ID, (r"01[0-9A-Za-z]{24}",), rf"{_WORD_START}01(?i:[0-9A-HJKMNP-TV-Z]{{24}}){_WORD_END}"),
    (
        VolatileKind.ID,
        (r"_[A-Za-z0-9_-]{6}", r"-[A-Za-z0-9_-]{6}"),
        (
            rf"{_WORD_START}(?i:{_PREFIXES})[_-](?:[A-Za-z0-9]{{1,32}}[_-]){{0,4}}?{_RANDOM_PART}"
            r"(?:[_-][A-Za-z0-9]{1,64}){0,8}"
        ),
    ),
    (
        VolatileKind.ID,
        (r"id\W", r"Id\W", r"ID\W"),
        (
            rf"(?i:(?:{_NAMES})[_ -]?id|{_IDS_ELSEWHERE})\s?[\"'`*]{{0,3}}\s{{0,2}}"
            rf"(?:[:=\uff1a]|(?:is|ist|est|es|为|是)\b)\s{{0,3}}[\"'`*]{{0,3}}{_NOT_A_TYPE}(?P<id>(?=[A-Za-z_-]{{0,64}}[0-9])[0-9A-Za-z_-]{{3,128}})"
        ),
    ),
    (
        VolatileKind.HEX_ID,
        (r"=[0-9a-f]{5,23};",),
        r"(?<=[a-z]=)(?=[0-9]{0,23}[a-f])(?=[a-f]{0,23}[0-9])[0-9a-f]{5,23}(?=;)",
    ),
    (
        VolatileKind.COUNTER,
        (r"#\s?[0-9]", r"o\.\s?[0-9]", r"O\.\s?[0-9]", r"ber\s?[0-9]", r"BER\s?[0-9]"),
        # Examples in a prompt are numbered too, but with few digits.
        (
            r"(?i:\b(?:turn|attempt|iteration)\s?(?:#|no\.|number)\s?[0-9]{1,12}"
            r"|\b(?:request|message|session|run)\s?(?:#|no\.|number)\s?[0-9]{2,12}|\bcall\s?#[0-9]{2,12})(?![0-9])"
        ),
    ),
    (
        VolatileKind.COUNTER,
        ("of [0-9]", "/[0-9]"),
        r"(?i:\b(?:message|turn|attempt|iteration)) [0-9]{1,9}(?: of |/)[0-9]{1,9}",
    ),
    (
        VolatileKind.COUNTER,
        (" messag", " turn", " request", " call"),
        r"\b[0-9]{1,9} (?:previous|prior|earlier|unread|new|remaining) (?:messages?|turns?|requests?|calls?)\b",
    ),
    (
        VolatileKind.EPOCH,
        (r"1[5-9][0-9]{8}",),
        r"(?<![0-9A-Za-z.+-])1[5-9][0-9]{8}(?:[0-9]{3}){0,3}(?:\.[0-9]{1,9})?(?![0-9A-Za-z-])",
    ),
)
"""The same, of what a date is never part of."""

HEX_IDS = (
    (
        VolatileKind.HEX_ID,
        (r"[0-9a-f]{24}",),
        rf"{_WORD_START}(?=[0-9]{{0,64}}[a-f])(?=[a-f]{{0,64}}[0-9])[0-9a-f]{{24,64}}{_WORD_END}",
    ),
    (
        VolatileKind.HEX_ID,
        (r"[0-9A-F]{24}",),
        rf"{_WORD_START}(?=[0-9]{{0,64}}[A-F])(?=[A-F]{{0,64}}[0-9])[0-9A-F]{{24,64}}{_WORD_END}",
    ),
)
"""The same, of what has at least 24 hexadecimal digits in a row."""
