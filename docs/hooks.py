"""What the site has beside docs/: the pages of the repository's root, and source files that pages link to.

Links are written for the repository as it lies; each that leaves docs/ is turned to the page that stands for
its target in the site.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
DOCS, SOURCES = "docs/", "source/"
#: Pages of the root, by what they are called in the site, where README.md would be an index.
PAGES = {
    "README.md": "overview.md",
    **{name: name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")},
}
LINK = re.compile(r"(\]\()([^)\s:#]+)(#[^)\s]*)?\)")
#: Where a block of code begins; what stands after its language is for tests/test_docs.py.
FENCE = re.compile(r"^(```\w+) [^`\n]*$", re.MULTILINE)
LANGUAGES = {".py": "python", ".json": "json", ".c": "c", ".sh": "bash", ".toml": "toml", ".yml": "yaml"}

#: A diagram that GitHub draws.
DIAGRAM = re.compile(r"^```mermaid\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def on_files(files: Any, config: Any) -> Any:
    """Add the pages of the root, then all that any page links to outside of docs/."""
    from mkdocs.structure.files import File

    for path, name in PAGES.items():
        files.append(File.generated(config, name, content=(ROOT / path).read_text("utf-8")))
    for page in list(files.documentation_pages()):
        for _, link, _ in LINK.findall(page.content_string):
            target = in_repository(page.src_uri, link)
            if is_source(target) and in_site(target) not in files.src_uris:
                files.append(File.generated(config, in_site(target), content=listing(target)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Turn links that leave docs/ to what stands for their targets; fences keep their language alone.

    Diagrams are pictures: nothing here draws Mermaid's text, and nothing is fetched that does.
    """
    here = page.file.src_uri

    def turned(found: re.Match[str]) -> str:
        head, link, anchor = found.groups()
        target = in_repository(here, link)
        if in_site(target) not in files.src_uris:
            return found[0]  # mkdocs says what is wrong with it
        return f"{head}{posixpath.relpath(in_site(target), posixpath.dirname(here) or '.')}{anchor or ''})"

    return DIAGRAM.sub(picture, LINK.sub(turned, FENCE.sub(r"\1", markdown)))


def picture(found: re.Match[str]) -> str:
    """A diagram as SVG, in the colours of the site."""
    from finalist.report.diagrams.mermaid import parsed
    from finalist.report.diagrams.svg import DARK, LIGHT, RULES, svg

    scheme = f":root {{ {LIGHT} }} [data-md-color-scheme=slate] {{ {DARK} }}"
    style = f"<style>\n{scheme}\n{RULES}\n</style>"
    return f'{style}\n\n<div class="wide">{svg(parsed(found[1], "A round"))}</div>'


def in_repository(page: str, link: str) -> str:
    """The file of the repository that a link leads to from a page of the site."""
    written = next((path for path, name in PAGES.items() if name == page), DOCS + page)
    return posixpath.normpath(posixpath.join(posixpath.dirname(written), link))


def in_site(path: str) -> str:
    """Where a file of the repository is in the site."""
    if path in PAGES:
        return PAGES[path]
    return path.removeprefix(DOCS) if path.startswith(DOCS) else f"{SOURCES}{path}.md"


def is_source(path: str) -> bool:
    """Whether it is a file outside of docs/ that is no page."""
    outside = path not in PAGES and not path.startswith((DOCS, ".."))
    return outside and (ROOT / path).is_file()


def listing(path: str) -> str:
    """A page with the file's text."""
    language = LANGUAGES.get(Path(path).suffix, "text")
    return f"# `{path}`\n\n~~~~ {language}\n{(ROOT / path).read_text('utf-8').rstrip()}\n~~~~\n"
