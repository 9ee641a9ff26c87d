package import ServiceLifecycle

/// What a sender found in its outbox.
package enum OutboxTurn<Row: Sendable>: Sendable {
    /// Nothing is due.
    case idle
    /// A row was due, and there is nothing to send: another process took it, or it was deleted.
    case settled
    /// A row that belongs to this process for a while.
    case row(Row)
}

/// A service that sends the rows of an outbox.
///
/// A row is deleted only after it was sent. So if the process ends in between, it is sent again.
package protocol OutboxSender: Service, CustomStringConvertible {
    /// A row that belongs to this process for a while.
    associatedtype Row: Sendable

    /// The largest number of rows that are sent at the same time.
    static var width: Int { get }
    /// How often the store is asked while nothing is due.
    var interval: Duration { get }
    /// Counts and logs.
    var report: OutboxReport { get }

    /// Takes the row that is due.
    func next() async throws -> OutboxTurn<Row>
    /// Sends a row, and deletes or postpones it.
    func send(_ row: Row) async throws
}

extension OutboxSender {
    /// The name of the type: service-lifecycle logs its services, and what they have may be secret.
    package var description: String { "\(Self.self)" }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: OutboxWake.self) { group in
                var (running, hasTimer) = (0, false)
                while !Task.isCancelled {
                    let turn: OutboxTurn<Row> = running < Self.width ? await self.turn() : .idle
                    switch turn {
                    case .settled: continue
                    case .row(let row):
                        running += 1
                        group.addTask {
                            await deliver(row)
                            return .delivery
                        }
                        continue
                    case .idle: break
                    }
                    if !hasTimer {
                        hasTimer = true
                        group.addTask { [interval] in
                            try? await Task.sleep(for: interval)
                            return .timer
                        }
                    }
                    // A delivery that ended makes room, and the next row of its account may be due.
                    switch await group.next() {
                    case .delivery: running -= 1
                    case .timer: hasTimer = false
                    case nil: break
                    }
                }
                group.cancelAll()
            }
        }
    }

    /// Sends the row that is due, and returns whether there was one.
    @discardableResult
    package func sendNext() async -> Bool {
        switch await turn() {
        case .idle: return false
        case .settled: return true
        case .row(let row):
            await deliver(row)
            return true
        }
    }

    private func turn() async -> OutboxTurn<Row> {
        do {
            return try await next()
        } catch {
            report.storeFailed(error)
            return .idle
        }
    }

    private func deliver(_ row: Row) async {
        do { try await send(row) } catch { report.storeFailed(error) }
    }
}

/// Why a sender looks into its outbox again.
private enum OutboxWake: Sendable { case delivery, timer }
