"""Contact sheets: one HTML page for each page of the service, with languages, schemes and widths beside each other."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path

Pictures = Mapping[str, Mapping[str, Mapping[tuple[str, str, int], str]]]

HEAD = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>
body {{ font: 14px system-ui, sans-serif; margin: 24px; background: #888; color: #111 }}
a {{ color: inherit }}
h2 {{ margin: 32px 0 8px }}
.row {{ display: flex; gap: 12px; align-items: flex-start; margin-bottom: 24px }}
figure {{ margin: 0 }}
figcaption {{ padding-bottom: 4px }}
img {{ display: block; width: calc(var(--width) * 0.5px) }}
</style><h1>{title}</h1>
"""


def write_sheets(folder: Path, pictures: Pictures) -> None:
    """Writes a sheet for each page, and `index.html` with links to them."""
    links = []
    for name, states in pictures.items():
        parts = [HEAD.format(title=escape(name))]
        for state, files in states.items():
            parts.append(f"<h2>{escape(state)}</h2>")
            for language, scheme in dict.fromkeys((language, scheme) for language, scheme, _ in files):
                parts.append('<div class="row">')
                for (other, shown, width), file in files.items():
                    if (other, shown) == (language, scheme):
                        parts.append(
                            f'<figure style="--width: {width}"><figcaption>{language} {scheme} {width}</figcaption>'
                            f'<a href="{escape(file)}"><img loading="lazy" src="{escape(file)}" alt=""></a></figure>'
                        )
                parts.append("</div>")
        (folder / f"{name}.html").write_text("\n".join(parts), encoding="utf-8")
        links.append(f'<li><a href="{escape(name)}.html">{escape(name)}</a>: {escape(", ".join(states))}</li>')
    (folder / "index.html").write_text(HEAD.format(title="Screens") + f"<ul>{''.join(links)}</ul>", encoding="utf-8")
