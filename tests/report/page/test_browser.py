"""The whole page in Chromium: no error, every plot drawn, filters work, readable on a phone and a screen.

In the second tier, where Chromium, its driver and selenium are installed.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from finalist.cli import app
from finalist.report.page.printed import BROWSERS

pytestmark = [pytest.mark.check, pytest.mark.timeout(900)]
#: Widths of a phone and of a screen, and their heights.
SIZES = {390: 844, 1440: 900}
LARGEST = 5_000_000


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("vl_convert", reason="the extra plot is missing")
    folder = tmp_path_factory.mktemp("report")
    done = CliRunner().invoke(app, ["report", "-o", str(folder)])
    assert done.exit_code == 0, done.output
    return folder / "index.html"


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is missing")
    browser, service = next(filter(None, map(shutil.which, BROWSERS)), None), shutil.which("chromedriver")
    if not browser or not service:
        pytest.skip("chromium or its driver is missing")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for one in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(one)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    made = webdriver.Chrome(options=options, service=webdriver.ChromeService(service))
    made.set_script_timeout(120)
    yield made
    made.quit()


def opened(driver: Any, page: Path, width: int = 1440, scheme: str = "light") -> None:
    """The page, with its scripts run, at this width."""
    size = {"width": width, "height": SIZES[width], "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    driver.get(page.as_uri())
    until(driver, "document.documentElement.dataset.ready === '1'")


def until(driver: Any, condition: str) -> None:
    deadline = time.monotonic() + 60
    while not driver.execute_script(f"return {condition}"):
        assert time.monotonic() < deadline, condition
        time.sleep(0.05)


def draw(driver: Any) -> None:
    """All plots, also those that are not on the screen."""
    driver.execute_async_script("const [done] = arguments; drawAll().then(() => done(), done)")


def marks(driver: Any) -> dict[str, int]:
    """How many points each plot was drawn of."""
    found = driver.execute_script(
        "return Object.fromEntries([...document.querySelectorAll('.plot')].map((one) =>"
        " [one.id, one.querySelector('svg.marks') ? Number(one.dataset.marks) : -1]))"
    )
    return {str(name): int(count) for name, count in found.items()}


def test_it_is_small(page: Path) -> None:
    assert page.stat().st_size < LARGEST


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", SIZES)
def test_every_plot_is_drawn_without_an_error(driver: Any, page: Path, width: int, scheme: str) -> None:
    opened(driver, page, width, scheme)
    draw(driver)
    found = marks(driver)
    assert len(found) > 15 and min(found.values()) > 0, found
    assert [entry["message"] for entry in driver.get_log("browser")] == []


@pytest.mark.parametrize("width", SIZES)
def test_nothing_is_wider_than_the_page(driver: Any, page: Path, width: int) -> None:
    """Nor does text of a plot lie on other text of its axes and legends."""
    opened(driver, page, width)
    draw(driver)
    assert driver.execute_script("return document.documentElement.scrollWidth") <= width
    wide = "return [...document.querySelectorAll('.plot svg')].filter((one) =>"
    assert driver.execute_script(f"{wide} one.getBoundingClientRect().right > innerWidth).length") == 0
    assert driver.execute_script(_OVERLAPS) == []


#: Texts of one plot whose boxes lie on each other.
_OVERLAPS = """
const found = [];
const isSeen = (one) => one.textContent && one.style.opacity !== '0' && one.getAttribute('opacity') !== '0';
for (const plot of document.querySelectorAll('.plot')) {
  const texts = [...plot.querySelectorAll('svg text')].filter(isSeen);
  const boxes = texts.map((one) => one.getBoundingClientRect());
  for (let i = 0; i < boxes.length; i++) for (let j = 0; j < i; j++) {
    const [a, b] = [boxes[i], boxes[j]];
    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (wide > 1 && high > 3) found.push(`${plot.id}: ${texts[i].textContent} on ${texts[j].textContent}`);
  }
}
return found;
"""


def test_filters(driver: Any, page: Path) -> None:
    opened(driver, page)
    draw(driver)
    before = marks(driver)
    click(driver, "[name=cipher][value=rc6]", opened="ciphers")
    draw(driver)
    without = marks(driver)
    assert without["ranking-0"] == before["ranking-0"] - 1 and without["cells-dsp"] == before["cells-dsp"]
    assert not shown(driver, "tr[data-cipher=rc6]")
    click(driver, "#broken")
    draw(driver)
    assert marks(driver)["ranking-0"] > without["ranking-0"]
    click(driver, "[name=machine]")
    until(driver, "document.querySelector('article[data-machine]').hidden")
    click(driver, "[name=operation][value=decrypt]")
    assert not shown(driver, "tr[data-operation=encrypt]")
    assert "programs are shown" in driver.execute_script(
        "return document.getElementById('count').textContent"
    )
    click(driver, "#ciphers button[data-all='']")
    assert not shown(driver, "tr[data-machine]")
    draw(driver)
    assert [entry["message"] for entry in driver.get_log("browser")] == []


def click(driver: Any, selector: str, opened: str = "") -> None:
    if opened:
        driver.execute_script("document.getElementById(arguments[0]).open = true", opened)
    driver.execute_script("document.querySelector(arguments[0]).click()", selector)


def shown(driver: Any, selector: str) -> bool:
    """Whether any such row is, but for those of what was not measured, which are of no cipher."""
    return bool(
        driver.execute_script(
            "return [...document.querySelectorAll(arguments[0])]"
            ".some((one) => !one.hidden && one.dataset.cipher)",
            selector,
        )
    )


def test_a_point_shows_its_command_and_its_code(driver: Any, page: Path) -> None:
    from selenium.webdriver import ActionChains

    opened(driver, page)
    until(driver, "document.querySelector('#ranking-0 path[aria-roledescription=point]') !== null")
    mark = driver.find_element("css selector", "#ranking-0 path[aria-roledescription=point]")
    ActionChains(driver).move_to_element(mark).click().perform()
    until(driver, "!document.getElementById('panel').hidden")
    command = driver.execute_script("return document.getElementById('command').textContent")
    assert command.startswith("finalist emit ") and "--machine native" in command
    click(driver, "#source")
    until(driver, "[...document.querySelectorAll('#definitions details')].some((one) => one.open)")


def test_tables_by_keyboard(driver: Any, page: Path) -> None:
    """A button of a row opens the panel, Escape closes it and goes back; a heading sorts."""
    from selenium.webdriver.common.keys import Keys

    opened(driver, page)
    driver.execute_script("document.querySelector('article details').open = true")
    button = driver.find_element("css selector", "article details tr:not([hidden]) button[data-id]")
    button.send_keys(Keys.ENTER)
    until(driver, "!document.getElementById('panel').hidden")
    assert driver.execute_script("return document.activeElement.id") == "copy"
    driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    until(driver, "document.getElementById('panel').hidden")
    assert driver.switch_to.active_element == button
    head = driver.find_elements("css selector", "article details th")[5]
    head.send_keys(Keys.ENTER)
    rows = "[...document.querySelector('article details tbody').rows]"
    values = driver.execute_script(f"return {rows}.map((row) => Number(row.cells[5].dataset.v))")
    assert values == sorted(values) and head.get_attribute("aria-sort") == "ascending"


def test_plots_have_names_for_screen_readers(driver: Any, page: Path) -> None:
    opened(driver, page)
    draw(driver)
    nameless = (
        "[...document.querySelectorAll('.plot')].filter((one) => !one.querySelector('[aria-label]')).length"
    )
    assert driver.execute_script(f"return {nameless}") == 0


def test_light_and_dark(driver: Any, page: Path) -> None:
    opened(driver, page, scheme="dark")
    colour = "getComputedStyle(document.body).backgroundColor"
    assert driver.execute_script(f"return {colour}") == "rgb(13, 17, 23)"
    click(driver, "#theme")
    assert driver.execute_script(f"return {colour}") == "rgb(255, 255, 255)"


def test_printed(page: Path, tmp_path: Path) -> None:
    if not any(map(shutil.which, BROWSERS)):
        pytest.skip("chromium is missing")
    done = CliRunner().invoke(app, ["report", "-o", str(tmp_path), "--pdf"])
    assert done.exit_code == 0, done.output
    made = (tmp_path / "report.pdf").read_bytes()
    assert made.startswith(b"%PDF") and len(made) > 200_000
