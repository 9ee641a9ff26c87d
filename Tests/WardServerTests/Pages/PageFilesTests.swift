import Foundation
import Testing
import WardAccounts
import WardServer

/// The files as they lie in the sources: what no compiler checks.
@Suite struct `The files of the pages` {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/WardServer/Pages").standardizedFileURL

    static func files(_ name: String, suffix: String = "") throws -> [(name: String, text: String)] {
        try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: name).path).sorted()
            .filter { $0.hasSuffix(suffix) }
            .map { file in
                (file, try String(contentsOf: folder.appending(path: "\(name)/\(file)"), encoding: .utf8))
            }
    }

    /// The sentences of a language by `section.key`.
    static func sentences(_ language: PageLanguage) throws -> [String: String] {
        let file = folder.appending(path: "locales/\(language.rawValue).json")
        let sections = try JSONDecoder().decode([String: [String: String]].self, from: Data(contentsOf: file))
        return sections.reduce(into: [:]) { all, section in
            for (key, sentence) in section.value { all["\(section.key).\(key)"] = sentence }
        }
    }

    static func placeholders(_ sentence: String) -> Set<Substring> {
        Set(sentence.matches(of: /\{(\w+)\}/).map(\.output.1))
    }

    @Test(arguments: PageLanguage.allCases)
    func `every language has every sentence`(language: PageLanguage) throws {
        let english = try Self.sentences(.english)
        let sentences = try Self.sentences(language)
        #expect(Set(sentences.keys).symmetricDifference(english.keys) == [])
        for (name, sentence) in sentences {
            #expect(!sentence.trimmingCharacters(in: .whitespaces).isEmpty, "\(name)")
            #expect(Self.placeholders(sentence) == Self.placeholders(english[name] ?? ""), "\(name)")
        }
    }

    @Test(arguments: PageLanguage.allCases.filter { $0 != .english })
    func `no sentence was left in English`(language: PageLanguage) throws {
        let english = try Self.sentences(.english)
        for (name, sentence) in try Self.sentences(language) {
            #expect(sentence != english[name], "\(name)")
        }
    }

    @Test(arguments: [
        (
            PageLanguage.japanese,
            "[\u{3040}-\u{30ff}\u{4e00}-\u{9fff}][0-9A-Za-z]|[0-9A-Za-z][\u{3040}-\u{30ff}\u{4e00}-\u{9fff}]|[0-9}] [文分回日台つ]"
        ),
        (PageLanguage.korean, "[\u{ff00}-\u{ffef}\u{4e00}-\u{9fff}]"),
        (
            PageLanguage.simplifiedChinese,
            "[\u{4e00}-\u{9fff}][:,;?!()]|[:,;?!()][\u{4e00}-\u{9fff}]|\u{5e10}\u{6237}|[0-9}] [个次分字]"
        ),
    ])
    func `spaces and punctuation are those of the language`(language: PageLanguage, wrong: String) throws {
        let wrong = try Regex(wrong)
        for (name, sentence) in try Self.sentences(language) {
            #expect(sentence.firstMatch(of: wrong) == nil, "\(name): \(sentence)")
        }
    }

    @Test func `templates and scripts use the sentences there are, and all of them`() throws {
        let names = Set(try Self.sentences(.english).keys)
        var used: Set<String> = []
        for template in try Self.files("templates") {
            for match in template.text.matches(of: /\{\{text\.([\w.]+)\}\}/) {
                #expect(names.contains(String(match.output.1)), "\(template.name): \(match.output.1)")
                used.insert(String(match.output.1))
            }
        }
        for script in try Self.files("js") {
            for match in script.text.matches(
                of:
                    /'((?:account|common|passkeys|password|email|offer|sessions|confirm|title|status|error|recover|activity|steps|factors|codes|passwordless|policy|admin|federated|helpers|vaults)\.\w+)'/
            ) {
                #expect(names.contains(String(match.output.1)), "\(script.name): \(match.output.1)")
                used.insert(String(match.output.1))
            }
            for match in script.text.matches(of: /(?:notices\.say|leave|leaveNotice)\('(\w+)'/) {
                #expect(names.contains("status.\(match.output.1)"), "\(script.name): \(match.output.1)")
                used.insert("status.\(match.output.1)")
            }
        }
        // Failures and events are named by codes of the API and of the browser, and titles and cancellations by variables.
        let unused = names.subtracting(used).subtracting(Self.events.map { "activity.\($0.rawValue)" }).filter {
            !$0.hasPrefix("error.") && !$0.hasPrefix("title.")
        }
        // The service itself fills these in, on the page of an address that does not work.
        let failures: Set = ["failure.notFound", "failure.notFoundText", "failure.other"]
        let named: Set = [
            "status.cancelled", "status.cancelledSignIn", "status.appRemoved", "status.mailCodesOff",
            "status.codesRemoved",
        ]
        #expect(unused.subtracting(failures).subtracting(named).subtracting(Self.messages) == [])
    }

    /// What can happen to an account that is still there.
    private static let events: [AuditEvent.Kind] = [
        .accountCreated, .accountRenamed, .accountDisabled, .accountEnabled, .passkeyAdded, .passkeyDeleted,
        .passkeyReplaced, .passwordSet, .passwordRemoved, .signedIn, .signedOut, .sessionBound, .sessionsEnded,
        .recoveryLinkMade,
        .clientSignedIn, .deviceAllowed, .deviceRefused, .grantReused, .emailRequested, .emailConfirmed, .emailRemoved,
        .groupsChanged, .factorAdded, .factorRemoved, .recoveryCodesMade, .recoveryCodeUsed,
        .recoveryWaiting, .recoveryStopped, .identityLinked, .identityUnlinked, .helperNamed, .helperAccepted,
        .helperRemoved, .helpersAsked, .helperApproved, .vaultDeleted,
    ]

    /// The texts of messages, which the service fills in.
    private static var messages: Set<String> {
        let kinds: [OutboxMail.Kind] = [
            .addressCheck, .passkeyAdded, .passkeyDeleted, .passwordSet, .passwordRemoved, .newDevice, .recoveryUsed,
            .addressChanged, .accountDeleted, .signInCode, .factorAdded, .factorRemoved, .recoveryCodesMade,
            .recoveryCodeUsed, .recoveryLink, .recoveryWaiting, .recoveryStopped, .operatorLink,
            .identityLinked, .identityUnlinked, .helperWanted, .helperNamed, .helperAccepted, .helperRemoved,
            .helpersAsked, .helperApproved,
        ]
        let parts = ["account", "time", "notYou", "ignore", "why"].map { "mail.\($0)" }
        let texts: [OutboxMail.Kind] = [.signInCode, .numberCheck, .recoveryWaiting, .helpersAsked]
        return Set(
            parts + texts.map { "text.\($0.rawValue)" }
                + kinds.flatMap { ["mail.\($0.rawValue)_subject", "mail.\($0.rawValue)_text"] }
        )
    }

    @Test func `every message has a subject and a text, which say which service it is`() throws {
        for language in PageLanguage.allCases {
            let sentences = try Self.sentences(language)
            for name in Self.messages where name.contains("_") {
                #expect(sentences[name]?.contains("{service}") == true, "\(language) \(name)")
            }
        }
    }

    @Test func `every event that a person can meet has its sentence`() throws {
        let names = Set(try Self.sentences(.english).keys)
        for event in Self.events { #expect(names.contains("activity.\(event.rawValue)")) }
    }

    @Test func `every refusal of the API that a person can meet has its sentence`() throws {
        let names = Set(try Self.sentences(.english).keys)
        let codes: [APIError.Code] = [
            .usernameTaken, .usernameNotAllowed, .displayNameNotAllowed, .passkeyNameNotAllowed, .credentialExists,
            .lastPasskey, .tooManyPasskeys, .passwordTooShort, .passwordTooLong, .passwordNotAllowed,
            .passwordTooCommon, .passwordNeeded,
            .registrationClosed, .invitationRequired, .invitationNotValid, .recoveryLinkNotValid, .accountDisabled,
            .tooManyAttempts, .signInFailed, .passkeyDeleted, .userCodeNotValid, .emailNotAllowed, .mailDisabled,
            .mailLinkNotValid, .notSignedIn, .notFound, .internalError, .flowNotValid, .stepNotAllowed, .codeWrong,
            .typedCodeWrong, .addressNeeded, .textsDisabled, .numberNotAllowed, .policyNotMet, .rulesNeedIt,
            .passkeyNotAccepted, .wayBackNeeded, .recoveryNotOpen, .ownAccount, .passwordSignInRequired,
            .providerUnavailable, .providerRefused, .providerCancelled, .identityTaken, .tooManyLinks, .lastWayIn,
            .helpersDisabled, .tooManyHelpers, .helpNotAsked, .helpCodeWrong, .syncDisabled,
        ]
        for code in codes { #expect(names.contains("error.\(code.name)")) }
        let browser = [
            "insecure_context", "not_supported", "wrong_address", "already_on_this_device", "no_usable_authenticator",
            "authenticator_lacks", "timeout", "busy", "network", "name_missing", "password_missing",
            "wrong_password", "name_not_typed", "code_missing", "too_many_codes", "too_many_sent",
            "recovery_link_incomplete", "mail_link_incomplete", "email_missing", "no_way_back", "recovery_code_wrong",
            "number_missing", "no_such_person",
            "unexpected", "identity_unknown", "own_helper",
        ]
        for code in browser { #expect(names.contains("error.\(code)")) }
    }

    @Test func `templates have nothing inline and escape everything`() throws {
        for template in try Self.files("templates") {
            #expect(!template.text.contains("{{{") && !template.text.contains("{{&"), "\(template.name)")
            #expect(template.text.firstMatch(of: /\sstyle=|<style|\son[a-z]+=|javascript:/) == nil, "\(template.name)")
            for script in template.text.matches(of: /<script[^>]*>[^<]*/) {
                #expect(script.output.contains(" src=") && script.output.hasSuffix(">"), "\(template.name)")
            }
            #expect(template.text.firstMatch(of: /https?:/) == nil, "\(template.name)")
        }
    }

    /// HTML, [section 4.10.18.7](https://html.spec.whatwg.org/#autofill), and WebAuthn Level 3, section 5.1.4: what is in a field, and
    /// `webauthn` after it.
    @Test func `each field says what it is for, so that managers fill in what belongs there and nothing else`() throws {
        let known: Set = [
            "username", "username webauthn", "current-password", "current-password webauthn", "new-password",
            "one-time-code", "email", "name", "tel", "off",
        ]
        var used: Set<String> = []
        for template in try Self.files("templates") {
            for input in template.text.matches(of: /<(?:input|textarea|select)\s[^>]*>/) {
                let purpose = try #require(
                    input.output.firstMatch(of: /\sautocomplete="([^"]*)"/),
                    "\(template.name): \(input.output)"
                )
                used.insert(String(purpose.output.1))
                let isPassword = input.output.contains(" type=\"password\"")
                let takesPassword = purpose.output.1.contains("-password")
                #expect(isPassword == takesPassword, "\(template.name): \(input.output)")
            }
        }
        for script in try Self.files("js") {
            for line in script.text.split(separator: "\n") where line.contains(".autocomplete = ") {
                used.formUnion(line.matches(of: /'([a-z -]+)'/).map { String($0.output.1) })
            }
        }
        #expect(used.subtracting(known) == [])
        #expect(used.isSuperset(of: known.subtracting(["one-time-code"])))
    }

    @Test func `scripts make no markup from text and no code from strings`() throws {
        for script in try Self.files("js") {
            let forbidden = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|https?:\/\//
            #expect(script.text.firstMatch(of: forbidden) == nil, "\(script.name)")
        }
    }

    @Test func `style sheets and icons fetch nothing from elsewhere`() throws {
        let drawings = try Self.files("icons", suffix: "svg")
        #expect(!drawings.isEmpty)
        for file in try Self.files("css") + drawings {
            let text = file.text.replacing("http://www.w3.org/2000/svg", with: "")
            #expect(text.firstMatch(of: /https?:|@import|<script|<style/) == nil, "\(file.name)")
        }
    }

    @Test func `every hook that tests hold on to is there once`() throws {
        let templates = try Self.files("templates").map(\.text).joined()
        let hooks = [
            "username", "display-name", "sign-in", "create-account", "create-submit", "status", "error",
            "account-username", "passkey-row", "passkey-name", "passkey-rename", "passkey-rename-input",
            "passkey-rename-save", "passkey-delete", "passkey-add", "dialog-confirm", "dialog-cancel", "session-row",
            "session-end", "session-end-others", "sign-out", "password", "password-show", "use-password", "use-passkey",
            "create-with-password", "create-with-passkey", "password-sign-in", "password-create", "new-password",
            "password-edit", "password-save", "password-cancel", "password-remove", "password-state", "dialog-password",
            "offer", "offer-accept", "offer-later", "passkey-none", "activity-row", "activity-event", "activity-more",
            "second", "second-add", "second-later", "status-close", "error-close", "failure", "failure-start",
            "email-state", "new-email", "email-save", "email-cancel", "email-edit", "email-remove", "mail-link-submit",
            "mail-link-start", "session-bound", "renewal", "renewal-continue", "step-code", "step-send", "codes-print",
            "codes-head", "meter-act", "activity-factor", "helper-name", "helper-add", "helper-row", "helper-remove",
            "helping-row", "helping-accept", "helping-stop", "helping-code", "helping-approve", "helper-code",
            "recover-ask-helpers", "vault-row", "vault-delete",
        ]
        for hook in hooks {
            #expect(templates.components(separatedBy: "data-testid=\"\(hook)\"").count == 2, "\(hook)")
        }
    }
}
