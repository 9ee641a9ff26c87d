import CXCB
import Foundation

/// The owner of X11's clipboard: an invisible window that answers programs which paste.
///
/// [Inter-Client Communication Conventions](https://x.org/releases/X11R7.6/doc/xorg-docs/specs/ICCCM/icccm.html), section 2. In
/// addition to the text it offers the target by which Klipper and others recognise a secret, so that they do not store it.
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
        /// The targets under which the text can be requested.
        ///
        /// The text is UTF-8 for all of them.
        let texts: [xcb_atom_t]
        let hint: xcb_atom_t
    }

    /// Connects to the display.
    ///
    /// It is `nil` if there is no display or no library.
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
        // A request has 24 bytes in addition to the pasted text. Its length is counted in words of 4 bytes.
        guard text.count < Int(unsafe x.get_maximum_request_length(connection)) * 4 - 64 else {
            throw Failure(.usage, "the text is too long for this display's clipboard")
        }
        guard let time = now() else { throw Failure(.unavailable, "the display server does not answer") }
        self.time = time
        self.text = text
        _ = unsafe x.set_selection_owner(connection, window, atoms.clipboard, time)
        guard isOwner else { throw Failure(.unavailable, "another program does not release the clipboard") }
        return sentence
    }

    func wait(until end: ContinuousClock.Instant) {
        while ContinuousClock.now < end {
            guard !answerAll(), unsafe x.connection_has_error(connection) == 0 else { return }
            var waiting = pollfd(fd: unsafe x.get_file_descriptor(connection), events: Int16(POLLIN), revents: 0)
            unsafe poll(&waiting, 1, 200)
        }
        _ = unsafe x.set_selection_owner(connection, 0, atoms.clipboard, time)
        // After the reply to this request no more requests of programs arrive. Those that arrived before must be answered,
        // because some programs wait without a limit.
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

    /// The display's own time.
    ///
    /// A change of the window returns it. Without the time, an earlier owner could take the clipboard back.
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

    /// Processes the events that have arrived.
    private func each(_ body: (UnsafeRawPointer, Int32) -> Void) {
        while let event = unsafe x.poll_for_event(connection) {
            // If the first bit is set, another client sent the event.
            unsafe body(UnsafeRawPointer(event), Int32(event.pointee.response_type & 0x7f))
            unsafe free(event)
        }
    }

    // MARK: Answering

    /// Answers all requests that have arrived.
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
        // Programs from before the conventions do not send a property.
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
        // Every event has a length of 32 bytes.
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

    /// Returns the requested data.
    ///
    /// The result is `false` if the target is not available.
    private func provide(_ target: xcb_atom_t, to window: xcb_window_t, _ property: xcb_atom_t) -> Bool {
        switch target {
        case atoms.targets:
            let known = [atoms.targets, atoms.timestamp] + atoms.texts + [XCB_ATOM_STRING.rawValue, atoms.hint]
            change(window, property, XCB_ATOM_ATOM.rawValue, known)
        case atoms.timestamp: change(window, property, XCB_ATOM_INTEGER.rawValue, [time])
        case atoms.hint: change(window, property, atoms.hint, Array("secret".utf8))
        // The conventions require ISO 8859-1. Today all programs that request this target read non-ASCII text as UTF-8.
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
