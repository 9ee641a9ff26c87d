"""The people in the pictures: one for each language of the pages, with names as people there have them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Person:
    """A language of the pages, and somebody who reads it."""

    tag: str
    locale: str
    username: str
    display_name: str
    #: What the person calls passkeys.
    passkeys: tuple[str, str, str]
    #: The app that asks for a sign-in.
    app: str


PEOPLE = (
    Person("en", "en-US", "ada", "Ada Lovelace", ("Work laptop", "Blue security key", "Phone"), "Family album"),
    Person("ja", "ja-JP", "hanako", "山田 花子", ("仕事のノートパソコン", "青いセキュリティ キー", "スマートフォン"), "家族のアルバム"),
    Person("ko", "ko-KR", "minji", "김민지", ("회사 노트북", "파란색 보안 키", "휴대전화"), "가족 앨범"),
    Person("zh-Hans", "zh-CN", "xiaoming", "李小明", ("工作笔记本", "蓝色安全密钥", "手机"), "家庭相册"),
)

# Names that test the layout: long, without a place to break, and in other scripts.
LONG = "Wolfeschlegelsteinhausenbergerdorff-Wilhelmina.Alexandrina"
LONG_DISPLAY = "Maximiliane Friederike Wolfeschlegelsteinhausenbergerdorff the Third"
HEBREW = ("שלומית", "שלומית בת־דוד (Jerusalem)")
ARABIC = ("فاطمة.الزهراء", "فاطمة الزهراء 2026")
HAN = ("寿限無寿限無五劫の擦り切れ", "寿限無寿限無五劫の擦り切れ海砂利水魚の水行末雲来末風来末")

AGENTS = {
    "iphone": "Mozilla/5.0 (iPhone; CPU iPhone OS 26_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1"
    " Mobile/15E148 Safari/604.1",
    "windows": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36"
    " Edg/156.0.0.0",
    "unknown": "PlayStation",
}
