import HTTPTypes
import Synchronization
import WardCBOR
import WardSyncRecords
import WardSyncServer

/// The accounts of a service, whose people answer as a test says.
final class AccountsFixture: Sendable {
    private struct State {
        var begun: [SyncToken: SyncAccounts.Answer] = [:]
        var addresses: [String?] = []
        var deleted: Set<String> = []
    }

    private let state = Mutex(State())

    /// The codes that were given out.
    var codes: [SyncToken] { state.withLock { Array($0.begun.keys) } }
    /// The addresses of those who began.
    var addresses: [String?] { state.withLock { $0.addresses } }

    func answer(_ code: String?, _ answer: SyncAccounts.Answer) {
        guard let code = code.flatMap({ SyncToken(text: $0) }) else { return }
        state.withLock { $0.begun[code] = answer }
    }

    func delete(_ account: String) { state.withLock { _ = $0.deleted.insert(account) } }

    var accounts: SyncAccounts {
        SyncAccounts { address in
            try self.state.withLock { state in
                let bytes = [UInt8](repeating: UInt8(state.begun.count + 1), count: SyncToken.byteCount)
                guard let code = SyncToken(bytes) else { throw SyncError(.internalError, "The test is wrong.") }
                state.begun[code] = .waiting(seconds: 5)
                state.addresses.append(address)
                return .init(
                    code: code,
                    userCode: "WDJB-MJHT",
                    page: "https://login.example.com/device",
                    seconds: 600,
                    interval: 5
                )
            }
        } answer: { code in
            self.state.withLock { state in
                let answer = state.begun[code] ?? .over
                // The service says so once.
                if case .agreed = answer { state.begun[code] = .over }
                return answer
            }
        } deleted: { accounts in
            self.state.withLock { state in accounts.filter(state.deleted.contains) }
        }
    }
}

extension SyncFixture {
    /// Begins a sign-in, and returns the code of the device.
    func beginSignIn() async throws -> String {
        let answer = try await send(.post, "/sync/v1/sign-in")
        guard answer.status == .created, let code = answer.cbor?[1]?.textValue else { throw Trouble(answer) }
        return code
    }

    func askSignIn(_ code: String) async throws -> Answer {
        let count = UInt8(code.utf8.count)
        let body: [UInt8] = [0xa1, 0x01] + (count < 24 ? [0x60 | count] : [0x78, count]) + Array(code.utf8)
        return try await send(.post, "/sync/v1/sign-in/answer", [.contentType: "application/cbor"], body)
    }

    /// An invitation of an account whose owner agreed.
    func invite(_ accounts: AccountsFixture, as account: String) async throws -> String {
        let code = try await beginSignIn()
        accounts.answer(code, .agreed(account: account))
        let answer = try await askSignIn(code)
        guard answer.status == .ok else { throw Trouble(answer) }
        return code
    }
}
