"""Prompt bombing: the attacker knows the user name, and the password if the owner types one, and makes the owner be asked."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, closing

import requests
from playwright.sync_api import Dialog

from ..caller import Caller
from ..gateway import Gateway
from ..judge import Outcome, Trial
from ..mailbox import Mailbox, only_tells
from ..methods import MEMORISED, Method, Owner, WithCode
from ..seat import Seat
from ..stage import Stage
from .base import Part, Row

# Whatever asks the person at this page.
WATCHING = """(() => {
    for (const call of ['get', 'create']) {
        const real = navigator.credentials[call].bind(navigator.credentials);
        navigator.credentials[call] = (options) => { appeared(call); return real(options); };
    }
    window.Notification = new Proxy(Notification, {
        construct: (target, words) => { appeared('notification'); return new target(...words); },
    });
})()"""

#: The question that a tired owner says yes to.
TIRED_AT = 3


class Screen:
    """What the owner sees: the service's page, or another that asks questions."""

    def __init__(self, seat: Seat, owner: Owner) -> None:
        self.seat = seat
        self.owner = owner
        self.prompts = 0
        seat.page.expose_function("appeared", lambda _: self._ask())
        seat.page.add_init_script(WATCHING)
        seat.page.on("dialog", self._answer)

    def open_account(self) -> None:
        """The owner is at the account page; what this visit itself brings does not count."""
        url = self.owner.service.origin
        cookies = [{"name": name, "value": value, "url": url} for name, value in self.owner.caller.session.items()]
        self.seat.page.context.add_cookies(cookies)  # type: ignore[arg-type]
        self.seat.open("/account")
        self.prompts = 0

    def open_questions(self, gateway: Gateway) -> None:
        self.seat.page.goto(gateway.url)

    def _ask(self) -> None:
        self.prompts += 1

    def _answer(self, dialog: Dialog) -> None:
        self._ask()
        if self.prompts < TIRED_AT:
            dialog.dismiss()
        else:
            dialog.accept()


def ask_for_everything(owner: Owner) -> None:
    """What a stranger can ask for with the user name, and with the password if the owner types one."""
    name, typed = {"username": owner.name}, owner.method.typed(owner)
    for path in ("sign-in/options", "registration/options", "recovery"):
        Caller(owner.service).post(path, name)
    if typed.at_provider is not None:
        owner.method.enter(Caller(owner.service), owner.name, typed)
    if typed.password is None:
        return
    stranger = Caller(owner.service)
    answer = stranger.post("sign-in/password", {**name, "password": typed.password})
    steps = answer.json() if answer.status_code == 200 else {}
    for step in steps.get("next", []):
        # As often as one sign-in allows.
        body = {"flow": steps["flow"], "method": step["method"]}
        while stranger.post("sign-in/send-code", body).status_code == 204:
            pass


class Prompts(Row):
    key = "prompts"
    title = "Prompt bombing"
    part = Part.LATER

    def cell(self, stage: Stage, method: Method) -> Outcome:
        [outcome] = self.cells(stage, [method])
        return outcome

    def cells(self, stage: Stage, methods: Sequence[Method]) -> list[Outcome]:
        """One after the other, and then one wait for all messages."""
        with ExitStack() as open_pages:
            attacks = [self.bomb(stage, method, open_pages) for method in methods]
            return [self.count(*attack) for attack in attacks]

    def bomb(self, stage: Stage, method: Method, open_pages: ExitStack) -> tuple[Trial, Screen, Mailbox]:
        """Asks for everything that a stranger can ask for, again and again."""
        owner = stage.owner(method)
        screen = Screen(Seat(open_pages.enter_context(stage.context()).new_page(), owner.service), owner)
        mailbox = Mailbox(owner)
        if isinstance(method, WithCode):
            method.add_mail_codes(owner)
            mailbox.letters()
        screen.open_account()
        trial = Trial(self.key, owner)
        for _ in range(stage.effort.prompts):
            trial.tries += 1
            ask_for_everything(owner)
        return trial, screen, mailbox

    def count(self, trial: Trial, screen: Screen, mailbox: Mailbox) -> Outcome:
        # Any call hears what the page had to say.
        screen.seat.page.evaluate("0")
        letters = mailbox.letters()
        telling = sum(map(only_tells, letters))
        trial.figures |= {"prompts": screen.prompts + len(letters) - telling, "messages that only tell": telling}
        return trial.attack()

    def control(self, stage: Stage, cells: Sequence[Outcome]) -> Outcome:
        return self.undefended(stage, MEMORISED)

    def undefended(self, stage: Stage, method: Method) -> Outcome:
        owner = stage.owner(method)

        def sign_in() -> dict[str, str]:
            caller = Caller(owner.service)
            method.enter(caller, owner.name, owner.kit)
            return caller.session

        with stage.context() as context, closing(Gateway(sign_in)) as gateway:
            screen = Screen(Seat(context.new_page(), owner.service), owner)
            screen.open_questions(gateway)
            trial = Trial(self.key, owner, "a yes to a question on the owner's device signs in")
            while not gateway.given and trial.tries < stage.effort.prompts:
                trial.tries += 1
                requests.post(f"{gateway.url}/push", json={"username": owner.name}, timeout=60)
                screen.seat.page.wait_for_function("count => window.answered >= count", arg=gateway.questions)
            trial.figures["prompts"] = screen.prompts
            trial.look(Caller(owner.service, gateway.given))
            return trial.attack()
