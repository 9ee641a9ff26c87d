import ArgumentParser
import Foundation
import WardAgentClient

/// The state of the sync, as lines of text.
enum SyncText {
    /// The exit status of `ward sync status` if something needs the person.
    static let needsPerson: Int32 = 11

    /// All that `ward sync status` shows.
    static func lines(_ state: SyncState, _ paint: Paint) -> [String] {
        guard !state.isLocked else {
            let isLocked = "The vault is locked, and is synced only while it is open: ward unlock"
            return [joins(state).map { "This device joins: " + progress($0) } ?? isLocked]
        }
        var lines: [String] = []
        if let place = place(state) {
            let since = state.since.map { ", since \(When.day($0))" } ?? ""
            lines.append("Sync      on, \(place)\(since)")
            lines.append("Last      " + last(state))
            if let missing = state.missing {
                lines.append(
                    "Waits     for \(number(missing, "entry", "entries")) of other devices that did not come yet"
                )
            }
        } else {
            lines.append(state.isOn == nil ? "Sync      waits" : "Sync      off: ward sync on PLACE")
        }
        if let members = state.members { lines.append("Devices   \(members): ward devices") }
        lines += (state.warnings ?? []).map { "Left out  \(Table.clean($0))" }
        lines += notices(state).map { "Needs you " + paint.yellow($0) }
        return lines
    }

    /// One line for `ward status`, and one for each thing that needs the person.
    static func summary(_ state: SyncState, _ paint: Paint) -> [String] {
        guard !state.isLocked else { return [] }
        var lines = [state.isOn == nil ? "Sync      waits" : "Sync      off: ward sync on PLACE"]
        if let place = place(state) {
            lines = ["Sync      \(place), last \(last(state))"]
        }
        return lines + notices(state).map { "          " + paint.yellow($0) }
    }

    /// How far a device is that joins, and has no vault yet; `nil` if none does.
    static func joins(_ state: SyncState) -> SyncState.Progress? { state.isLocked ? state.progress : nil }

    /// The folder or the server; `nil` if sync is off.
    static func place(_ state: SyncState) -> String? {
        state.folder.map { Paths.short(Table.clean($0)) } ?? state.server.map { Table.clean($0) }
    }

    /// What needs the person, each in one line.
    static func notices(_ state: SyncState) -> [String] {
        var notices = state.needs ?? []
        if let trouble = state.trouble, !notices.contains(trouble) { notices.insert(trouble, at: 0) }
        return notices.map { Table.clean($0.message) }
    }

    /// What a person must know of a change of the circle that the other devices have to hear of.
    static func warnings(afterChange state: SyncState) -> [String] {
        guard state.isOn != true else { return notices(state) }
        let isOff = "Sync is off, so no other device hears of this. Turn it on: ward sync on PLACE"
        return [isOff] + notices(state)
    }

    /// What the recovery key made of this device.
    static func newDevice(_ isNew: Bool?, former: String?) -> [String] {
        guard isNew == true else { return [] }
        let removal = former.map { " Remove the former one: ward devices remove \(Table.clean($0))" } ?? ""
        return [CommandHints.here("This is a new device now.\(removal)")]
    }

    static func number(_ count: Int, _ one: String, _ many: String) -> String { "\(count) \(count == 1 ? one : many)" }

    private static func last(_ state: SyncState) -> String {
        let time = state.lastSuccess.map { When.minute($0) } ?? "never"
        if state.isRunning { return time + ", runs now" + (state.progress.map { ": " + progress($0) } ?? "") }
        return time + (state.nextIn.map { ", next in \($0) s" } ?? "")
    }

    /// How far a sync is.
    static func progress(_ progress: SyncState.Progress) -> String {
        let entries =
            progress.total.map { "\(progress.done) of \($0) entries" } ?? number(progress.done, "entry", "entries")
        return progress.step == "bringing" ? "\(entries) brought" : "\(entries) came"
    }
}
