import Testing

@testable import WardAgent
import WardAgentClient

@Suite(.agents, .timeLimit(.minutes(15))) struct `The texts of prompts` {
    private static let site = CleanText.domain("site.example")
    private static let account = CleanText.label("ada")
    private static let provider = CleanText.label("Snake")

    /// Every sentence, with what it must name.
    private static let sentences: [(PromptSentence, [String])] = [
        (.inVault(name: provider), ["Snake"]),
        (.vaultIsLocked(nil), []), (.vaultIsLocked(.signIn(sites: [site], more: 7)), ["site.example", "7"]),
        (.typePassphrase(.makeRecoveryKey), []), (.saveDamagedVault, []),
        (.wrongPassphrase(attempt: 2, of: 3), ["2", "3"]), (.noPassphrase(attempt: 2, of: 3), ["2", "3"]),
        (.leavesSealed(file: provider), ["Snake"]), (.leavesPlain(file: provider), ["Snake"]),
        (.showItIsYou, []), (.useWard, ["Ward"]),
        (.makePasskey(account: account, site: site), ["ada", "site.example"]),
        (.makePasskey(account: nil, site: nil), []), (.replacesPasskey(account: account), ["ada"]),
        (.alreadyHasPasskey(site: site), ["site.example"]),
        (.signIn(site: site, account: account), ["ada", "site.example"]), (.noPasskey(site: site), ["site.example"]),
        (.pageAsks(host: site), ["site.example"]), (.insidePage(host: site), ["site.example"]),
        (.copyInBrowser(browser: provider, item: account), ["Snake", "ada"]),
        (.keptIn(provider: provider), ["Snake"]), (.providerVerifies(provider: provider), ["Snake"]),
        (.passkeyMade(site: site, account: account), ["ada", "site.example"]), (.passkeyMadeTitle, []),
        (.accountNumber(4, of: 5), ["4", "5"]), (.lineNumber(4, of: 5), ["4", "5"]),
        (
            .signInWithPasskey(site: site, account: account, provider: provider),
            ["ada", "site.example", "Snake"]
        ),
        (
            .signInWithPassword(site: site, account: account, provider: provider),
            ["ada", "site.example", "Snake"]
        ),
        (.fillInCode(site: site, account: account, provider: provider), ["ada", "site.example", "Snake"]),
        (.lookIntoVault, []), (.lookIntoProvider(provider: provider), ["Snake"]), (.signInElsewhere, []),
        (.chooseText(provider: provider), ["Snake"]),
        (.makePasskeyIn(account: account, site: site, provider: provider), ["ada", "site.example", "Snake"]),
        (.makePassword(account: account, site: site, provider: provider), ["ada", "site.example", "Snake"]),
        (.replacesPassword, []),
        (.keepPasswordIn(account: account, site: site, provider: provider), ["ada", "site.example", "Snake"]),
        (.keepPassword(account: account, site: site), ["ada", "site.example"]),
        (.changePassword(account: account, site: site, item: provider), ["ada", "site.example", "Snake"]),
        (.enableProvider(provider: provider), ["Snake"]), (.declaredIn(file: .path("/etc/x")), ["/etc/x"]),
        (.providerProgram(path: .path("/bin/x")), ["/bin/x"]),
        (.giveContact(site: site, contact: account), ["ada", "site.example"]),
        (.giveTypedContact(site: site), ["site.example"]), (.typeEmail(site: site), ["site.example"]),
        (.typeTelephone(site: site), ["site.example"]), (.notEmail, []), (.notTelephone, []),
        (.tellName(site: site, name: account), ["ada", "site.example"]), (.tellTypedName(site: site), ["site.example"]),
        (.tellNoName(site: site), ["site.example"]), (.typeName(site: site), ["site.example"]),
        (.notName, ["256"]), (.askedByProgram(path: .path("/bin/x"), pid: 77), ["/bin/x", "77"]),
        (.askedByFlatpak(name: account), ["ada"]),
        (
            .askedByApp(name: account, identifier: provider, path: .path("/bin/x")),
            ["ada", "Snake", "/bin/x"]
        ),
        (.typePINToUnlock(nil), ["PIN"]),
        (.typePINToUnlock(.signIn(sites: [site], more: 7)), ["PIN", "site.example", "7"]),
        (.vaultIsLocked(.makePasskey(account: account, sites: [site], more: 7)), ["ada", "site.example", "7"]),
        (.emptyIsPassphrase, []),
        (.showItIsYouWithPIN, ["PIN"]), (.showItIsYouWithFinger, []), (.wrongPIN(left: 1), ["PIN", "1"]),
        (.wrongPIN(left: 4), ["PIN", "4"]), (.wrongFinger(left: 4), ["4"]), (.wrongTooOften, []),
        (.pinNeedsPassphrase, ["PIN"]), (.pinIsOver, ["14"]), (.pinIsLockedOut, ["TPM", "PIN"]),
        (.pinIsUnknown, ["TPM", "PIN"]), (.pinOpensNothing, ["PIN"]), (.pinIsNotChecked, ["TPM", "PIN"]),
        (.signedIn(site: site, account: account), ["ada", "site.example"]), (.signedInTitle, []),
        (.deviceAddedTitle, []), (.deviceAdded(name: provider), ["Snake", "ward devices"]),
        (.deviceAdded(name: nil), ["ward devices"]), (.deviceRemovedTitle, []),
        (.deviceRemoved(name: provider), ["Snake", "ward devices"]), (.deviceRemoved(name: nil), ["ward devices"]),
        (.removedHereTitle, []), (.removedHere, ["ward sync status"]), (.circleFrozenTitle, []),
        (.circleFrozen, ["ward sync status"]), (.deviceCopiedTitle, []), (.deviceCopied, ["ward sync status"]),
        (.deviceBrokeRulesTitle, []), (.deviceBrokeRules(name: provider), ["Snake", "ward sync status"]),
        (.deviceBrokeRules(name: nil), ["ward sync status"]), (.removalVoidTitle, []), (.removalVoid, ["ward devices"]),
        (.lateChangesTitle, []), (.lateChanges(name: provider), ["Snake", "ward salvage", "ward devices"]),
        (.lateChanges(name: nil), ["ward salvage", "ward devices"]), (.notAdmittedTitle, []),
        (.notAdmitted, ["ward sync status"]),
        (.serverLostTitle, []), (.serverLost(count: 31), ["31"]), (.serverTwoOrdersTitle, []),
        (.serverTwoOrders, ["ward sync status"]), (.serverAtFaultTitle, []), (.serverAtFault, ["ward sync status"]),
        (.notSyncedTitle, []), (.notSynced, ["ward sync status"]), (.entriesWithheldTitle, []),
        (.entriesWithheld, ["ward sync status"]), (.serverAlmostFullTitle, []),
        (.serverAlmostFull(percent: 83), ["83", "ward sync status"]),
        (.vaultMovedTitle, []), (.vaultMoved(host: site), ["site.example", "ward passphrase"]),
        (.nobodyVouches, []), (.program(path: .path("/bin/x")), ["/bin/x"]),
        (.isThisMachine(domain: site), ["site.example"]),
    ]

    private static let purposes: [PromptPurpose] = [
        .addItem, .auditItems, .backUpVault, .changeItem, .checkRecoveryKey, .checkVault, .copyItem, .emptyTrash,
        .fillIn,
        .exportItems, .findItem, .importItems, .keepPassword, .listDevices, .listItems, .listPasskeys, .makeRecoveryKey,
        .nameDevice, .readCode,
        .readHistory,
        .readItem,
        .removeItem, .removePasskey, .removePIN, .restoreBackup, .restoreItem, .setPIN, .switchFingerprintOff,
        .switchFingerprintOn, .switchQuickUnlockOn, .switchSyncOff, .syncVault, .signIn(sites: [site], more: 0),
        .makePasskey(account: account, sites: [site], more: 0),
    ]

    @Test(arguments: PromptLocale.allCases) func `name all that they should, in every language`(locale: PromptLocale) {
        let language = locale.language
        for (sentence, words) in Self.sentences {
            let text = language.text(sentence)
            for word in words { #expect(text.contains(word), "\(sentence): \(text)") }
            #expect(!text.isEmpty)
        }
        let problems = FingerprintProblem.allCases.map { language.text(PromptSentence.noFinger($0)) }
        let texts = problems + Self.sentences.map { language.text($0.0) } + Self.purposes.map { language.text($0) }
        #expect(Set(texts).count == texts.count, "two sentences are the same")
        for word in PromptWord.allCases { #expect(!language.text(word).isEmpty) }
    }

    @Test(arguments: PromptLocale.allCases.filter { $0 != .english })
    func `are no English in another language`(locale: PromptLocale) {
        let english = PromptLocale.english.language
        for (sentence, _) in Self.sentences where ![.useWard].contains(sentence) {
            let text = locale.language.text(sentence)
            // A number alone has no language.
            if case .lineNumber = sentence { continue }
            #expect(text != english.text(sentence) && text.unicodeScalars.contains { $0.value > 0x2fff }, "\(text)")
        }
    }

    @Test func `follow the locale of messages`() {
        let expected: [String?: PromptLocale] = [
            "ja_JP.UTF-8": .japanese, "ja": .japanese, "ko_KR.utf8": .korean, "zh_CN.UTF-8": .simplifiedChinese,
            "zh-Hans": .simplifiedChinese, "zh_SG": .simplifiedChinese, "zh": .simplifiedChinese,
            // Traditional characters, and everything else.
            "zh_TW.UTF-8": .english, "zh_HK": .english, "de_DE.UTF-8": .english, "C.UTF-8": .english, "POSIX": .english,
            "en_GB.UTF-8": .english, "": .english, "jam_JM": .english, nil: .english,
        ]
        for (locale, language) in expected { #expect(PromptLocale(locale) == language, "\(locale ?? "none")") }
    }

    @Test func `are English on a terminal that does not show UTF-8`() {
        var place = PromptPlace()
        place.messages = "ja_JP.eucJP"
        place.locale = "ja_JP.eucJP"
        #expect(place.language is EnglishPrompts.Type)
        place.locale = "ja_JP.UTF-8"
        #expect(place.language is JapanesePrompts.Type)
        place.locale = nil
        place.desktop.display = ":0"
        #expect(place.language is JapanesePrompts.Type)
    }

    @Test func `speak the language of the person's session`() async throws {
        let fixture = try await AgentFixture(configure: { $0.environment["LANG"] = "ja_JP.UTF-8" })
        try await fixture.create()
        _ = try await fixture.call(Lock())
        fixture.person.will(.secret(Array("wrong".utf8)), .secret(Array(AgentFixture.passphrase.utf8)))
        _ = try await fixture.call(ListItems(authorization: Authorization()))
        let prompts = fixture.person.asked
        #expect(prompts.count == 2)
        #expect(prompts[0].text.hasPrefix("保管庫はロックされています。項目を一覧表示するためにロックを解除しますか？"))
        #expect(prompts[0].buttons == .init(agree: "ロックを解除", cancel: "キャンセル"))
        #expect(prompts[0].kind == .secret(label: "パスフレーズ"))
        #expect(prompts[1].error == "パスフレーズが違います（3 回中 1 回目）。")
        try await fixture.close()
    }
}
