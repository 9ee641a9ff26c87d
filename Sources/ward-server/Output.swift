import ArgumentParser
import Foundation
import WardAccounts
import WardSQLite
import WardServer
import WardSyncRecords
import WardSyncStoreSQLite
import WardTerminal

extension ExitCode {
    /// The settings are not valid: `EX_USAGE`, as for an unknown option.
    static let settings = ExitCode(64)
    /// The account or session does not exist: `EX_NOINPUT`.
    static let missing = ExitCode(66)
    /// The service cannot start or continue, or the database cannot be used: `EX_UNAVAILABLE`.
    static let unavailable = ExitCode(69)
}

/// Runs a command.
///
/// An error that an administrator can correct becomes one sentence and an exit code.
func reportingFailures(_ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch let error as SettingsError {
        throw failure(error.description, .settings)
    } catch let error as ServerConfigurationError {
        throw failure(error.description, .settings)
    } catch let error as NoSuchAccount {
        throw failure(error.description, .missing)
    } catch let error as NoSuchClient {
        throw failure(error.description, .missing)
    } catch let error as NoSuchSession {
        throw failure(error.description, .missing)
    } catch let error as NoSuchToken {
        throw failure(error.description, .missing)
    } catch let error as NoSuchSyncRecord {
        throw failure(error.description, .missing)
    } catch let error as ServerStartError {
        throw failure(error.description, .unavailable)
    } catch let error as MaintenanceError {
        throw failure(error.description, .unavailable)
    } catch let error as DatabaseFailure {
        throw failure("the database cannot be used: \(error)", .unavailable)
    } catch let error as StoreError {
        throw failure("the database cannot be used: \(error)", .unavailable)
    } catch let error as SyncStoreError {
        throw failure("the database of the sync server cannot be used: \(error)", .unavailable)
    }
}

/// Writes one sentence to standard error, and returns the exit code to throw.
func failure(_ sentence: String, _ code: ExitCode) -> ExitCode {
    warn(sentence)
    return code
}

/// Writes one sentence to standard error.
func warn(_ sentence: String) {
    DescriptorOutput.write("ward-server: \(sentence)\n", to: STDERR_FILENO)
}

/// Writes one line about what was done to standard output, without buffering.
///
/// If it cannot be written, standard error says so, and what was done stays done.
func say(_ line: String) { try? answer(line) }

/// Writes one line that a command was run for to standard output, without buffering.
///
/// A reader that has read enough (`accounts list | head`) is no failure.
func answer(_ line: String) throws {
    guard ![0, EPIPE].contains(DescriptorOutput.write("\(line)\n", to: STDOUT_FILENO)) else { return }
    throw failure("standard output could not be written. Is the disk full?", .unavailable)
}
