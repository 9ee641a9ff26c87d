internal import Foundation
internal import Synchronization

/// Reads fingerprints through fprintd, over the system bus.
///
/// The bus lets only root own the name of fprintd. But any program may send a signal that looks like a signal of fprintd. So a
/// signal counts only if its sender is the connection that answered the agent's claim of the device.
final class Fprintd: FingerprintReader {
    private static let service = "net.reactivated.Fprint"
    private static let device = "net.reactivated.Fprint.Device"
    /// The time limit for a method call.
    private static let patience: UInt64 = 10_000_000

    /// Another thread sets this value.
    private final class Flag: Sendable {
        private let isSet = Mutex(false)
        func set() { isSet.withLock { $0 = true } }
        var value: Bool { isSet.withLock { $0 } }
    }

    func verify(_ waiting: @escaping @Sendable () -> Void) async -> FingerprintResult {
        let isCancelled = Flag()
        return await withTaskCancellationHandler {
            await onThread { Self.run(isCancelled, waiting) }
        } onCancel: {
            isCancelled.set()
        }
    }

    func problem() async -> FingerprintProblem? {
        await onThread { () -> FingerprintProblem? in
            guard let bus = MessageBus.system() else { return .noBus }
            do throws(MessageBus.CallError) {
                let path = try Self.reader(bus)
                _ = try bus.call(Self.service, path, Self.device, "ListEnrolledFingers", [""], Self.patience)
                return nil
            } catch {
                return FingerprintProblem(error: error.name)
            }
        }
    }

    private static func reader(_ bus: MessageBus) throws(MessageBus.CallError) -> String {
        let manager = "/net/reactivated/Fprint/Manager"
        let reply = try bus.call(
            service,
            manager,
            "net.reactivated.Fprint.Manager",
            "GetDefaultDevice",
            [],
            patience
        )
        return reply.path ?? ""
    }

    private static func run(_ isCancelled: Flag, _ waiting: () -> Void) -> FingerprintResult {
        guard let bus = MessageBus.system() else { return .unavailable(.noBus) }
        var conversation = FingerprintConversation()
        var path = ""
        var owner = ""
        func end(_ result: FingerprintResult, stops: Bool, releases: Bool) -> FingerprintResult {
            if stops { _ = try? bus.call(service, path, device, "VerifyStop", [], patience) }
            if releases { _ = try? bus.call(service, path, device, "Release", [], patience) }
            return result
        }
        var event: FingerprintConversation.Event
        do throws(MessageBus.CallError) {
            path = try reader(bus)
            let rules = [
                "sender='\(service)',path='\(path)',interface='\(device)',member='VerifyStatus'",
                "sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(service)'",
            ]
            guard rules.allSatisfy({ bus.subscribe($0) }) else { return .unavailable(.noBus) }
            owner = try bus.call(service, path, device, "Claim", [""], patience).sender
            event = .claimed
        } catch {
            event = .failed(error.name)
        }
        while true {
            switch conversation.handle(event) {
            case .finish(let result, let stops, let releases): return end(result, stops: stops, releases: releases)
            case .startVerification:
                do throws(MessageBus.CallError) {
                    _ = try bus.call(service, path, device, "VerifyStart", ["any"], patience)
                    event = .started
                    waiting()
                } catch {
                    event = .failed(error.name)
                }
            case .wait: event = next(bus, owner, path, isCancelled)
            }
        }
    }

    /// The next event of this conversation.
    private static func next(
        _ bus: MessageBus,
        _ owner: String,
        _ path: String,
        _ isCancelled: Flag
    ) -> FingerprintConversation.Event {
        while true {
            switch bus.next(unless: { isCancelled.value }) {
            case .signal(let signal):
                if signal.member == "NameOwnerChanged", signal.sender == "org.freedesktop.DBus" { return .serviceGone }
                guard signal.member == "VerifyStatus", signal.sender == owner, signal.path == path,
                    let result = signal.text, let isDone = signal.flag
                else { continue }
                return .status(result, isDone: isDone)
            case .stopped: return .cancelled
            case .closed: return .serviceGone
            }
        }
    }
}
