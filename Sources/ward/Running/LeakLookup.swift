import WardAgentClient
import WardDownload
import WardPasswords

/// Range queries to a list of leaked passwords.
///
/// This process gets only the first digits of hashes from the agent. The agent compares the answers with the passwords.
struct LeakLookup {
    /// What became of the queries.
    struct Outcome {
        /// The number of passwords that were looked up.
        var checked = 0
        /// The number of queries without a usable answer.
        var failed = 0
    }

    /// The number of queries at the same time.
    private static let parallel = 8
    /// After this many failures the service is left alone.
    private static let maximumFailures = 8
    /// The size of answers that are handed over at once.
    private static let batch = 1 << 20

    private let range: BreachedPasswordRange

    /// - Throws: ``Failure`` with `usage` if the address cannot be used.
    init(_ address: String) throws(Failure) {
        do { range = try BreachedPasswordRange(address) } catch { throw Failure(.usage, "--leaks-from: \(error)") }
    }

    /// Who gets the digits.
    var host: String { range.host }

    /// What leaves the machine.
    func text(_ wanted: ListLeakPrefixes.Result) -> String {
        let digits = BreachedPasswordHash.sentDigits
        return """
            To \(host) goes: the first \(digits) of the 40 digits of each password's SHA-1 hash, \(wanted.prefixes.count) times \
            \(digits) digits. Many other passwords have the same digits. No password, user name or site leaves this machine.
            """
    }

    /// Asks the service, and hands the answers to the agent.
    func run(_ prefixes: [String], _ agent: AgentClient) async throws -> Outcome {
        var (outcome, ranges, size) = (Outcome(), [AddLeakRanges.Range](), 0)
        func flush() async throws {
            guard !ranges.isEmpty else { return }
            let done = try await agent.call(AddLeakRanges(ranges: ranges))
            outcome.checked += done.checked
            outcome.failed += done.unreadable
            (ranges, size) = ([], 0)
        }
        let left = try await inParallel(prefixes, width: Self.parallel, { [range] in await Self.answer(range, $0) }) {
            guard let answer = $0 else {
                outcome.failed += 1
                return outcome.failed < Self.maximumFailures
            }
            ranges.append(answer)
            size += answer.list.utf8.count
            if size > Self.batch { try await flush() }
            return outcome.failed < Self.maximumFailures
        }
        try await flush()
        outcome.failed += left
        return outcome
    }

    private static func answer(_ range: BreachedPasswordRange, _ prefix: String) async -> AddLeakRanges.Range? {
        guard let list = try? await download.document(at: range.address(of: prefix)),
            let text = String(validating: list, as: UTF8.self)
        else { return nil }
        return AddLeakRanges.Range(prefix: prefix, list: text)
    }

    private static let download: BoundedDownload = {
        var download = BoundedDownload(maximumSize: BreachedPasswordRange.maximumSize, timeout: .seconds(10))
        download.accept = "text/plain"
        download.isAccepted = { $0 == "text/plain" }
        // With padding, an eavesdropper cannot conclude from the length of the answer which digits were sent.
        download.headers = ["add-padding": "true", "user-agent": "ward"]
        return download
    }()
}
