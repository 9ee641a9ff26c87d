import Foundation
import Synchronization
import WardAgentClient
@testable import WardAgent

/// An agent that takes this program for `ward-browser`, and for the manager's own program in turn.
final class BrowserFixture: Sendable {
    static let identity = BrowserIdentity(path: "/usr/lib/chromium/chromium", extensionID: "abc")
    static let quiet = Authorization(mayPrompt: false)

    let agent: AgentFixture
    let clock = ManualClock()
    private let isBrowser: Switch

    private final class Switch: Sendable {
        let isOn = Mutex(false)
    }

    init() async throws {
        let (clock, isBrowser) = (clock, Switch())
        self.isBrowser = isBrowser
        agent = try await AgentFixture { policy in
            policy.isManager = { _ in !isBrowser.isOn.withLock { $0 } }
            policy.isBrowserHost = { _ in isBrowser.isOn.withLock { $0 } }
            policy.browser = { _, id throws(AgentError) in
                guard let parent = PeerProcess(getppid()), let snapshot = parent.snapshot else {
                    throw AgentError(.appUnknown, "this test has no parent")
                }
                var identity = Self.identity
                identity.extensionID = id
                return RunningBrowser(identity: identity, process: parent, snapshot: snapshot)
            }
        } configure: { configuration in
            configuration.clock = { clock.now }
        }
        try await agent.create()
    }

    var person: ScriptedPerson { agent.person }

    /// Calls a method as `ward-browser`.
    func browse<Method: AgentMethod>(_ method: Method) async throws -> Method.Result {
        isBrowser.isOn.withLock { $0 = true }
        defer { isBrowser.isOn.withLock { $0 = false } }
        var hello = Hello(client: "test", terminal: .init())
        hello.extensionID = Self.identity.extensionID
        return try await AgentClient.withConnection(to: agent.paths, as: hello, patience: .seconds(600)) {
            try await $0.call(method)
        }
    }

    func pair() async throws {
        person.will(.agreed)
        _ = try await browse(PairBrowser())
    }

    func close() async throws { try await agent.close() }

    static func sender(tab: Int = 1, origin: String = "https://example.com") -> BrowserSender {
        BrowserSender(url: origin + "/", origin: origin, tab: tab, frame: 0, topURL: origin + "/")
    }

    /// A login for `example.com`.
    func keep(_ user: String) async throws {
        var change = ItemChange()
        (change.title, change.username, change.password) = (user, user, "hunter2")
        change.addSites = ["https://example.com"]
        _ = try await agent.call(AddItem(authorization: Self.quiet, change: change))
    }

    /// Fills in the first password of the page.
    func fill() async throws -> FillPage.Result {
        let entries = try await browse(ListPageEntries(sender: Self.sender())).entries
        let id = entries.first { $0.kind == "password" }?.id ?? ""
        return try await browse(FillPage(sender: Self.sender(), entry: id))
    }

    /// Makes a passkey for Ada, who agreed in the extension's window unless it is made without a prompt.
    func make(_ mediation: Mediation?, algorithm: Int = -7) async throws {
        let options = """
            {"rp":{"id":"example.com","name":"Example"},"user":{"id":"dXNlcg","name":"ada","displayName":"Ada"},\
            "challenge":"Y2hhbGxlbmdlLWNoYWxsZW5nZQ","pubKeyCredParams":[{"type":"public-key","alg":\(algorithm)}],\
            "authenticatorSelection":{"userVerification":"discouraged","residentKey":"required"}}
            """
        _ = try await browse(
            CreatePagePasskey(sender: Self.sender(), options: options, mediation: mediation, agreed: true)
        )
    }

    /// Signs in with the first passkey of the page.
    func signIn() async throws {
        let options = """
            {"rpId":"example.com","challenge":"Y2hhbGxlbmdlLWNoYWxsZW5nZQ","userVerification":"discouraged"}
            """
        let accounts = try await browse(ListPagePasskeys(sender: Self.sender(), options: options)).accounts
        _ = try await browse(UsePagePasskey(sender: Self.sender(), options: options, picked: accounts.first?.id))
    }

    /// Whether Ada gets a passkey without a prompt.
    func isMade(algorithm: Int = -7) async throws -> Bool {
        do {
            try await make(.conditional, algorithm: algorithm)
            return true
        } catch let error as AgentError where error.exceptionName == "NotAllowedError" {
            return false
        }
    }
}
