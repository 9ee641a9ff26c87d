import WardAccounts

/// One try of a password: what counts it, and whose turn it takes.
///
/// A try counts as wrong from the moment it begins, so parallel tries gain nothing, in one process or in several. Names
/// without an account are counted the same. A browser that signed in to the account before has a count of its own, and no
/// other holds it up: a stranger who keeps guessing cannot keep the owner out. Passkeys are not counted.
struct PasswordTry: Sendable {
    /// Whose turn it is in the queue.
    let client: PasswordQueue.Client
    /// The counts that the right password resets: of the name, or of the browser.
    private let own: Counter
    /// The counts that it does not reset, so that guessers do not clear them with an account of their own.
    private let shared: [Counter]

    /// - Parameters:
    ///   - name: The mapped user name, or the typed text if it is not a valid user name.
    ///   - device: The name of a browser that signed in to the account before.
    ///   - address: The client's address if the service knows it.
    ///   - client: Whose turn it is if the browser is not known.
    ///   - limits: The limits.
    init(_ name: String, device: [UInt8]?, address: ClientAddress?, client: ClientAddress?, _ limits: Limits) {
        if let device {
            self.client = .device(device)
            own = Counter(.device, of: device, limits.perName)
            shared = []
        } else {
            self.client = .address(client)
            own = Counter(.name, of: Array(name.utf8), limits.perName)
            let byAddress = address.map { [Counter(.address, of: $0.bytes, limits.perAddress)] } ?? []
            shared = byAddress + [Counter(.overall, of: [], limits.overall)]
        }
    }

    /// Checks that the try may begin.
    ///
    /// - Throws: ``APIError`` with `too_many_attempts` or `too_many_requests`.
    func check(at now: Int64, in tx: some AccountTransaction) async throws {
        for counter in [own] + shared {
            if let wait = try await counter.wait(at: now, in: tx) { throw APIError(limited: counter.subject, wait) }
        }
    }

    /// Begins the try: it counts as wrong until ``succeeded(at:in:)`` or ``withdrawn(at:in:)``.
    ///
    /// - Throws: ``APIError`` with `too_many_attempts` or `too_many_requests`; then the try is not counted.
    func begin(at now: Int64, in tx: some AccountTransaction) async throws {
        try await check(at: now, in: tx)
        for counter in [own] + shared { try await counter.add(at: now, in: tx) }
    }

    /// The password was right: forgets the wrong ones before it.
    func succeeded(at now: Int64, in tx: some AccountTransaction) async throws {
        try await own.reset(in: tx)
        for counter in shared { try await counter.remove(at: now, in: tx) }
    }

    /// The password was not checked after all.
    func withdrawn(at now: Int64, in tx: some AccountTransaction) async throws {
        for counter in [own] + shared { try await counter.remove(at: now, in: tx) }
    }
}

extension APIError {
    /// The refusal of a try that has to wait.
    init(limited subject: Counter.Subject, _ wait: Int64) {
        switch subject {
        case .name, .device:
            self.init(.tooManyAttempts, "Too many wrong passwords for this name; try again later.", retryAfter: wait)
        case .address:
            let message = "Too many wrong passwords from this address. Try again later."
            self.init(.tooManyRequests, message, retryAfter: wait)
        case .overall:
            self.init(.tooManyRequests, "Too many wrong passwords at the moment. Try again later.", retryAfter: wait)
        case .newAccounts:
            self.init(.tooManyRequests, "Too many new accounts from this address. Try again later.", retryAfter: wait)
        }
    }
}
