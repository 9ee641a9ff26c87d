import CXCB
import Foundation
import WardAgent

/// Prints the process that made a window, as the X server knows it: what `ward --window-process HEXADECIMAL` does for the agent.
enum WindowProcess {
    static let argument = ParentWindow.argument

    /// Prints the number of the process, or nothing if it is not known, and ends.
    static func run(_ window: String) -> Never {
        if let window = UInt32(window, radix: 16), let process = process(of: window) { print(process, terminator: "") }
        exit(0)
    }

    /// The process that connected to the X server and made the window.
    ///
    /// The kernel tells the server this number when a program on this machine connects.
    private static func process(of window: UInt32) -> UInt32? {
        guard let functions = unsafe ward_xcb_load(), let resources = unsafe ward_xres_load() else { return nil }
        let (x, res) = unsafe (functions.pointee, resources.pointee)
        guard let connection = unsafe x.connect(nil, nil) else { return nil }
        defer { unsafe x.disconnect(connection) }
        guard unsafe x.connection_has_error(connection) == 0 else { return nil }
        // A number belongs to its client even if there is no window with it.
        let geometry = unsafe x.get_geometry(connection, window)
        guard let found = unsafe x.get_geometry_reply(connection, geometry, nil) else { return nil }
        unsafe free(found)
        var question = ward_xres_specification(client: window, mask: UInt32(WARD_XRES_LOCAL_CLIENT_PID))
        let cookie = unsafe res.query_client_ids(connection, 1, &question)
        guard let answer = unsafe res.query_client_ids_reply(connection, cookie, nil) else { return nil }
        defer { unsafe free(answer) }
        // The length counts words of 4 bytes after the first 32 bytes: an answer without a process has none.
        guard unsafe answer.pointee.count == 1, unsafe answer.pointee.length >= 4 else { return nil }
        let value = unsafe answer.pointee
        guard value.specification.mask == question.mask, value.value_length == 4 else { return nil }
        return value.value
    }
}
