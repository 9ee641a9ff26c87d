import WardAccounts

/// One attempt to sign in with a password: the limits that count it, and the client whose place in the queue it uses.
///
/// An attempt counts as wrong from the moment it begins, so attempts in parallel do not get more tries, in one process or in
/// several. Names without an account are counted in the same way. A browser that signed in to the account before has a count of
/// its own, and only this count limits it: a stranger who guesses cannot lock the owner out. Sign-ins with passkeys are not
/// counted.
struct PasswordTry: Sendable {
    /// The client whose place in the queue the attempt uses.
    let client: PasswordQueue.Client
    /// The count that a right password resets: the count of the name, or of the browser.
    private let own: Counter
    /// The counts that a right password does not reset.
    ///
    /// Otherwise an attacker could reset them with an account of their own.
    private let shared: [Counter]

    /// - Parameters:
    ///   - name: The mapped user name, or the typed text if it is not a valid user name.
    ///   - device: The ID of a browser that signed in to the account before.
    ///   - address: The client's address if the service knows it.
    ///   - client: The client in the queue, if the browser is not known.
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

    /// Checks that the limits allow another attempt now.
    ///
    /// - Throws: ``APIError`` with `too_many_attempts` or `too_many_requests`.
    func check(at now: Int64, in tx: some AccountTransaction) async throws {
        for counter in [own] + shared {
            if let wait = try await counter.wait(at: now, in: tx) { throw APIError(limited: counter.subject, wait) }
        }
    }

    /// Begins the attempt.
    ///
    /// It counts as wrong until ``succeeded(at:in:)`` or ``withdrawn(at:in:)``.
    ///
    /// - Throws: ``APIError`` with `too_many_attempts` or `too_many_requests`; then the attempt is not counted.
    func begin(at now: Int64, in tx: some AccountTransaction) async throws {
        try await check(at: now, in: tx)
        for counter in [own] + shared { try await counter.add(at: now, in: tx) }
    }

    /// This try as the name's counter sees it: 1 if it counts there, 0 if the browser has a counter of its own.
    var countsForName: Int64 { own.subject == .name ? 1 : 0 }

    /// The password was right: resets the count of the name or browser.
    func succeeded(at now: Int64, in tx: some AccountTransaction) async throws {
        try await own.reset(in: tx)
        for counter in shared { try await counter.remove(at: now, in: tx) }
    }

    /// The password was not checked: removes the attempt from all counts.
    func withdrawn(at now: Int64, in tx: some AccountTransaction) async throws {
        for counter in [own] + shared { try await counter.remove(at: now, in: tx) }
    }
}

extension APIError {
    /// The error for an attempt that must wait.
    init(limited subject: Counter.Subject, _ wait: Int64) {
        let (code, message): (Code, String) =
            switch subject {
            case .name, .device:
                (.tooManyAttempts, "Too many wrong passwords for this name; try again later.")
            case .wrongCodes: (.tooManyAttempts, "Too many wrong codes for this account. Try again later.")
            case .sentCodes: (.tooManyRequests, "Too many codes were sent for this account. Try again later.")
            case .textsToNumber:
                (.tooManyRequests, "Too many text messages were sent to this number. Try again later.")
            case .allTexts: (.tooManyRequests, "No more text messages leave at the moment. Try again later.")
            case .recoveryProofs: (.tooManyAttempts, "Too many wrong proofs for this account. Try again later.")
            case .helpersNamed, .helpersWanted:
                (.tooManyRequests, "This account named too many helpers. Try again tomorrow.")
            case .helpRequests:
                (.tooManyRequests, "The helpers of this account were asked too often. Try again tomorrow.")
            case .helpCodes: (.tooManyAttempts, "Too many wrong codes for this account. Try again later.")
            case .recoveriesOfName, .stoppedRecoveries, .recoveriesFromAddress, .allRecoveries:
                (.tooManyRequests, "Too many requests to recover an account. Try again later.")
            case .address: (.tooManyRequests, "Too many wrong passwords from this address. Try again later.")
            case .overall: (.tooManyRequests, "Too many wrong passwords at the moment. Try again later.")
            case .secrets: (.tooManyRequests, "Too many wrong client secrets from this address. Try again later.")
            case .codes: (.tooManyRequests, "Too many sign-ins to apps. Try again later.")
            case .devices: (.tooManyRequests, "Too many devices ask for a code. Try again later.")
            case .userCodes: (.tooManyRequests, "Too many wrong codes. Try again later.")
            case .addressCheck, .mail, .signInMail:
                (.tooManyRequests, "Too many messages for this account or this address. Try again later.")
            case .newAccounts: (.tooManyRequests, "Too many new accounts from this address. Try again later.")
            }
        self.init(code, message, retryAfter: wait, limit: subject.rawValue.replacing(" ", with: "_"))
    }
}
