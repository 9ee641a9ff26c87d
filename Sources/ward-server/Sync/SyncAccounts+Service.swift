import WardAccounts
import WardServer
import WardSyncRecords
import WardSyncServer

extension SyncAccounts {
    /// The accounts of the service, whose page answers the codes of devices.
    init(_ service: SyncSignIn<some AccountStore>) {
        self.init { address in
            let codes = try await Self.refusing { try await service.begin(from: address) }
            guard let code = SyncToken(text: codes.device.text) else {
                throw SyncError(.internalError, "The service failed.")
            }
            return SignIn(
                code: code,
                userCode: codes.user,
                page: codes.page,
                seconds: codes.lifetime,
                interval: codes.interval
            )
        } answer: { code in
            guard let device = SessionToken(text: code.text) else { return .over }
            return switch try await Self.refusing({ try await service.answer(device) }) {
            case .waiting(let interval): .waiting(seconds: interval)
            case .refused: .refused
            case .over: .over
            case .agreed(let account): .agreed(account: account.text)
            }
        } deleted: { accounts in
            try await service.deleted(among: accounts)
        }
    }

    /// Says the refusals of the service in the words of the sync server.
    private static func refusing<T>(_ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as APIError where error.code == .tooManyRequests {
            throw SyncError(.tooManyRequests, "Too many devices sign in.", retryAfter: error.retryAfter)
        } catch is APIError {
            throw SyncError(.unavailable, "The service cannot answer now.")
        } catch is StoreError {
            throw SyncError(.unavailable, "The service cannot answer now.")
        }
    }
}
