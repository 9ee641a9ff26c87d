import Foundation
import Synchronization
@testable import WardAgent
import WardAgentClient
import WardDomains

/// An app that the agent takes this program for.
enum AppFixture {
    static func registered(_ identifier: String = "com.example.shiny", domains: [String] = []) -> AppIdentity.Result {
        AppIdentity.Result(
            kind: .registered,
            identifier: identifier,
            displayName: "Shiny",
            executable: "/usr/bin/shiny",
            domains: domains
        )
    }

    static let unknown = AppIdentity.Result(
        kind: .unknown,
        identifier: "",
        displayName: "shiny",
        executable: "/home/ada/shiny",
        domains: ["localhost"]
    )
}

extension AgentFixture {
    /// A fixture whose caller is an app, and no manager as soon as the vault is made; `example.com` names the app.
    static func forApp(
        _ app: AppIdentity.Result = AppFixture.registered(),
        namedBy domains: [String: Set<String>] = ["example.com": ["com.example.shiny"]],
        isManager: @escaping @Sendable () -> Bool = { true }
    ) async throws -> AgentFixture {
        let fixture = try await AgentFixture { policy in
            policy.identify = { _ in app }
            policy.isManager = { _ in isManager() }
            policy.appsNamed = { domain throws(AgentError) in
                guard let apps = domains[domain.description] else {
                    throw AgentError(.notAssociated, "\(domain) names nobody")
                }
                return apps
            }
        }
        return fixture
    }

    /// A folder that is there and is removed with the fixture.
    func makeFolder(_ name: String, mode: Int = 0o755) throws -> String {
        let path = folder + "/" + name
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: mode]
        )
        return path
    }
}

/// A clock that is put forward by hand.
final class ManualClock: Sendable {
    private let instant = Mutex(ContinuousClock.now)
    var now: ContinuousClock.Instant { instant.withLock { $0 } }
    func advance(_ time: Duration) { instant.withLock { $0 += time } }
}

/// Time that stands still until a test lets it pass.
final class Gate: Sendable {
    private let state = Mutex((asked: [Duration](), isOpen: false))
    /// How long the tasks want to wait that came here, in their order.
    var asked: [Duration] { state.withLock { $0.asked } }
    func open() { state.withLock { $0.isOpen = true } }

    func pass(_ duration: Duration) async throws {
        state.withLock { $0.asked.append(duration) }
        while !state.withLock({ $0.isOpen }) { try await Task.sleep(for: .milliseconds(5)) }
    }
}

/// A counter that several tasks use.
final class Count: Sendable {
    private let number = Mutex(0)
    var value: Int { number.withLock { $0 } }
    @discardableResult func up() -> Int {
        number.withLock {
            $0 += 1
            return $0
        }
    }
}
