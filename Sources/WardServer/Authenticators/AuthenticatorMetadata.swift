import Synchronization
import WardAttestation

/// The BLOB of the FIDO Metadata Service that the service's rules ask, in memory.
///
/// Registrations find the roots of models here, and each sign-in finds their status. ``MetadataKeeper`` replaces the BLOB when its
/// file changes.
package final class AuthenticatorMetadata: Sendable {
    private struct State {
        let models: KnownModels
        let number: Int
        let nextUpdate: String
        let version: MetadataFile.Version

        init(_ blob: MetadataBLOB, _ version: MetadataFile.Version, at now: Int64) {
            models = KnownModels(blob.entries, at: now)
            number = blob.number
            nextUpdate = blob.nextUpdate
            self.version = version
        }
    }

    /// What a look at the file led to.
    package enum Refresh: Equatable, Sendable {
        /// The file is the same as before.
        case unchanged
        /// The BLOB with this number is in use now.
        case replaced(Int)
    }

    private let file: MetadataFile
    private let state: Mutex<State>

    /// Takes the BLOB of a file.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - now: Seconds since 1970.
    /// - Throws: ``ServerConfigurationError`` as ``MetadataFile/read(at:)``.
    package convenience init(_ file: MetadataFile, at now: Int64) throws(ServerConfigurationError) {
        // Before the file is read: a change meanwhile is then seen the next time.
        let version = file.version
        let blob = try file.read(at: now)
        self.init(file, version, blob, at: now)
    }

    init(_ file: MetadataFile, _ version: MetadataFile.Version, _ blob: MetadataBLOB, at now: Int64) {
        self.file = file
        state = Mutex(State(blob, version, at: now))
    }

    /// What is known of models at a time.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Returns: The models of the BLOB in use.
    package func models(at now: Int64) -> KnownModels { state.withLock { $0.models }.at(now) }

    /// The day since which a newer BLOB can be available.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Returns: The day, `YYYY-MM-DD`; `nil` if it is still to come.
    package func outdatedSince(at now: Int64) -> String? {
        let nextUpdate = state.withLock { $0.nextUpdate }
        return String(JSONTime.text(now).prefix(10)) >= nextUpdate ? nextUpdate : nil
    }

    /// Reads the file again if it changed, and takes its BLOB unless it is an older one.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Returns: Whether there is a new BLOB.
    /// - Throws: ``ServerConfigurationError`` if the file has no BLOB, or an older one; then nothing changes.
    package func refresh(at now: Int64) throws(ServerConfigurationError) -> Refresh {
        let (known, version) = (state.withLock { ($0.version, $0.number) }, file.version)
        guard known.0 != version else { return .unchanged }
        let blob = try file.read(at: now)
        guard blob.number >= known.1 else {
            throw ServerConfigurationError(
                "--metadata: \(file.path) has number \(blob.number), which is older than number \(known.1) in use"
            )
        }
        state.withLock { $0 = State(blob, version, at: now) }
        return .replaced(blob.number)
    }
}
