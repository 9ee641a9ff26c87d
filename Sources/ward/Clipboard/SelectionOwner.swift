import CXCB
import Foundation

/// The owner of X11's clipboard: a window that is never shown and answers those who paste.
///
/// [Inter-Client Communication Conventions](https://x.org/releases/X11R7.6/doc/xorg-docs/specs/ICCCM/icccm.html), section 2.
/// Beside the text it has the target by which Klipper and others know a secret, and do not keep it.
@safe final class SelectionOwner: HeldClipboard {
    private let x: ward_xcb
    private let connection: OpaquePointer
    private let window: xcb_window_t
    private let atoms: Atoms
    private var time: xcb_timestamp_t = 0
    private var text: [UInt8] = []

    private struct Atoms {
        let clipboard: xcb_atom_t
        let targets: xcb_atom_t
        let timestamp: xcb_atom_t
        let utf8: xcb_atom_t
        /// What a text is asked by, all of them as UTF-8.
        let texts: [xcb_atom_t]
        let hint: xcb_atom_t
    }

    /// Connects to the display; `nil` without one, and without the library.
    init?() {
        guard let functions = unsafe ward_xcb_load() else { return nil }
        let x = unsafe functions.pointee
        guard let connection = unsafe x.connect(nil, nil) else { return nil }
        guard unsafe x.connection_has_error(connection) == 0, let setup = unsafe x.get_setup(connection),
            let screen = unsafe x.setup_roots_iterator(setup).data
        else {
            unsafe x.disconnect(connection)
            return nil
        }
        func atom(_ name: String) -> xcb_atom_t {
            let cookie = unsafe x.intern_atom(connection, 0, UInt16(clamping: name.utf8.count), name)
            guard let reply = unsafe x.intern_atom_reply(connection, cookie, nil) else { return 0 }
            defer { unsafe free(reply) }
            return unsafe reply.pointee.atom
        }
        let utf8 = atom("UTF8_STRING")
        atoms = Atoms(
            clipboard: atom("CLIPBOARD"),
            targets: atom("TARGETS"),
            timestamp: atom("TIMESTAMP"),
            utf8: utf8,
            texts: [utf8, atom("TEXT"), atom("text/plain;charset=utf-8"), atom("text/plain")],
            hint: atom("x-kde-passwordManagerHint")
        )
        window = unsafe x.generate_id(connection)
        let mask = [XCB_EVENT_MASK_PROPERTY_CHANGE.rawValue]
        _ = unsafe x.create_window(
            connection,
            0,
            window,
            screen.pointee.root,
            0,
            0,
            1,
            1,
            0,
            UInt16(XCB_WINDOW_CLASS_INPUT_ONLY.rawValue),
            0,
            XCB_CW_EVENT_MASK.rawValue,
            mask
        )
        self.x = x
        unsafe self.connection = connection
    }

    deinit { unsafe x.disconnect(connection) }

    func put(_ text: [UInt8]) throws(Failure) -> String {
        // A request has 24 bytes beside what is pasted; its length is counted in words of 4 bytes.
        guard text.count < Int(unsafe x.get_maximum_request_length(connection)) * 4 - 64 else {
            throw Failure(.usage, "the text is too long for this display's clipboard")
        }
        guard let time = now() else { throw Failure(.unavailable, "the display does not answer") }
        self.time = time
        self.text = text
        _ = unsafe x.set_selection_owner(connection, window, atoms.clipboard, time)
        guard isOwner else { throw Failure(.unavailable, "another program does not let go of the clipboard") }
        return sentence
    }

    func wait(until end: ContinuousClock.Instant) {
        while ContinuousClock.now < end {
            guard !answerAll(), unsafe x.connection_has_error(connection) == 0 else { return }
            var waiting = pollfd(fd: unsafe x.get_file_descriptor(connection), events: Int16(POLLIN), revents: 0)
            unsafe poll(&waiting, 1, 200)
        }
        _ = unsafe x.set_selection_owner(connection, 0, atoms.clipboard, time)
        // Once this is answered no more requests come; those that came before need an answer: some programs wait for it without a limit.
        _ = isOwner
        text = []
        _ = answerAll()
    }

    // MARK: Owning

    private var isOwner: Bool {
        let cookie = unsafe x.get_selection_owner(connection, atoms.clipboard)
        guard let reply = unsafe x.get_selection_owner_reply(connection, cookie, nil) else { return false }
        defer { unsafe free(reply) }
        return unsafe reply.pointee.owner == window
    }

    /// The display's own time, which a change of the window tells; without it an owner could be displaced by one before it.
    private func now() -> xcb_timestamp_t? {
        _ = unsafe x.change_property(
            connection,
            UInt8(XCB_PROP_MODE_APPEND.rawValue),
            window,
            XCB_ATOM_WM_NAME.rawValue,
            XCB_ATOM_STRING.rawValue,
            8,
            0,
            nil
        )
        _ = unsafe x.flush(connection)
        let end = ContinuousClock.now + .seconds(5)
        var time: xcb_timestamp_t?
        while time == nil, ContinuousClock.now < end, unsafe x.connection_has_error(connection) == 0 {
            var waiting = pollfd(fd: unsafe x.get_file_descriptor(connection), events: Int16(POLLIN), revents: 0)
            unsafe poll(&waiting, 1, 200)
            unsafe each { event, kind in
                if kind == XCB_PROPERTY_NOTIFY { time = unsafe event.load(as: xcb_property_notify_event_t.self).time }
            }
        }
        return time
    }

    /// Goes through the events that have come.
    private func each(_ body: (UnsafeRawPointer, Int32) -> Void) {
        while let event = unsafe x.poll_for_event(connection) {
            // The first bit says that another client sent it.
            unsafe body(UnsafeRawPointer(event), Int32(event.pointee.response_type & 0x7f))
            unsafe free(event)
        }
    }

    // MARK: Answering

    /// Answers whoever has asked by now.
    ///
    /// - Returns: Whether another program took the clipboard.
    private func answerAll() -> Bool {
        var isTaken = false
        unsafe each { event, kind in
            switch kind {
            case XCB_SELECTION_CLEAR: isTaken = true
            case XCB_SELECTION_REQUEST: answer(unsafe event.load(as: xcb_selection_request_event_t.self))
            default: break
            }
        }
        return isTaken
    }

    private func answer(_ request: xcb_selection_request_event_t) {
        // Programs from before the conventions name no property.
        let property = request.property == 0 ? request.target : request.property
        let isOurs = request.selection == atoms.clipboard && (request.time == 0 || request.time >= time)
        let isAnswered = isOurs && provide(request.target, to: request.requestor, property)
        var notice = xcb_selection_notify_event_t()
        notice.response_type = UInt8(XCB_SELECTION_NOTIFY)
        notice.time = request.time
        notice.requestor = request.requestor
        notice.selection = request.selection
        notice.target = request.target
        notice.property = isAnswered ? property : 0
        // Every event has 32 bytes.
        var bytes = [UInt8](repeating: 0, count: 32)
        unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe buffer.storeBytes(of: notice, as: xcb_selection_notify_event_t.self)
            _ = unsafe x.send_event(
                connection,
                0,
                request.requestor,
                0,
                buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            )
        }
        _ = unsafe x.flush(connection)
    }

    /// Gives what is asked for; `false` for what there is not.
    private func provide(_ target: xcb_atom_t, to window: xcb_window_t, _ property: xcb_atom_t) -> Bool {
        switch target {
        case atoms.targets:
            let known = [atoms.targets, atoms.timestamp] + atoms.texts + [XCB_ATOM_STRING.rawValue, atoms.hint]
            change(window, property, XCB_ATOM_ATOM.rawValue, known)
        case atoms.timestamp: change(window, property, XCB_ATOM_INTEGER.rawValue, [time])
        case atoms.hint: change(window, property, atoms.hint, Array("secret".utf8))
        // ISO 8859-1 by the conventions; what is more than ASCII is read as UTF-8 by all who ask for this today.
        case XCB_ATOM_STRING.rawValue: change(window, property, target, text)
        case atoms.texts[1]: change(window, property, atoms.utf8, text)
        default:
            guard atoms.texts.contains(target) else { return false }
            change(window, property, target, text)
        }
        return true
    }

    private func change<T: FixedWidthInteger>(
        _ window: xcb_window_t,
        _ property: xcb_atom_t,
        _ type: xcb_atom_t,
        _ values: [T]
    ) {
        _ = unsafe x.change_property(
            connection,
            UInt8(XCB_PROP_MODE_REPLACE.rawValue),
            window,
            property,
            type,
            UInt8(T.bitWidth),
            UInt32(clamping: values.count),
            values
        )
    }
}
