import Testing
import WardAgentClient

@testable import WardAgent

@Suite struct `Where a prompt appears` {
    private let runtime = "/run/user/1000"

    private func desktop(_ change: (inout Hello.Terminal) -> Void) -> PromptPlace.Desktop {
        var said = Hello.Terminal()
        change(&said)
        return PromptPlace.Desktop(said, runtime: runtime)
    }

    @Test(arguments: [":0", ":12.1", "localhost:10.0"]) func `displays of this machine are taken`(display: String) {
        #expect(desktop { $0.display = display }.display == display)
    }

    @Test(arguments: [
        "", "0", ":", ":x", "example.com:0", ":0:1", ":0.", ":0;id", "unix:/tmp/x", ":123456", "--help:0",
    ])
    func `what is not a display of this machine is left out`(display: String) {
        #expect(desktop { $0.display = display }.display == nil)
    }

    @Test(arguments: ["wayland-0", "/run/user/1000/wayland-0"])
    func `a Wayland display is the name of a socket in the runtime folder`(name: String) {
        #expect(desktop { $0.waylandDisplay = name }.waylandDisplay == "wayland-0")
    }

    @Test(arguments: ["/tmp/wayland-0", "../wayland-0", "a/b", "", ".hidden", "/run/user/1000/../x"])
    func `others are left out`(name: String) {
        #expect(desktop { $0.waylandDisplay = name }.waylandDisplay == nil)
    }

    @Test(arguments: ["unix:path=/run/user/1000/bus", "unix:path=/run/user/1000/bus,guid=0123456789abcdef"])
    func `a bus is a socket below the runtime folder`(address: String) {
        #expect(desktop { $0.sessionBus = address }.sessionBus == "unix:path=/run/user/1000/bus")
    }

    @Test(arguments: [
        "unixexec:path=/bin/sh,argv1=-c,argv2=id", "unix:path=/tmp/bus", "unix:abstract=/tmp/dbus-x",
        "tcp:host=localhost,port=1",
        "unix:path=/run/user/1000/../1001/bus", "unix:path=/run/user/1000/bus;unixexec:path=/bin/sh", "autolaunch:",
        "unix:path=/run/user/1000/a%2e%2e/bus", "unix:tmpdir=/run/user/1000", "launchd:env=X", "",
        "unix:dirs=/run/user/1000/bus", "unix:path=/run/user/1000/bus,guid=0;unixexec:path=/bin/sh",
        "unix:path=/run/user/1000/" + String(repeating: "b", count: 93),
    ])
    func `an address that leads elsewhere, or runs something, is left out`(address: String) {
        #expect(desktop { $0.sessionBus = address }.sessionBus == nil)
    }

    private static let longest = String(repeating: "x", count: 64)

    @Test(arguments: [
        ("xterm-256color", true), ("../x", false), ("a/b", false), ("", false), ("x y", false),
        (longest, true), (longest + "x", false),
    ])
    func `a terminal's type and a locale are names, which lead to no file`(name: String, isTaken: Bool) {
        var said = Hello.Terminal()
        said.type = name
        said.locale = name
        let place = PromptPlace(said, of: nil, runtime: runtime)
        #expect((place.terminalType != nil) == isTaken)
        // A locale has no plus and may have an at sign; these names have neither.
        #expect((place.locale != nil) == isTaken)
    }

    @Test(arguments: ["/dev/pts/3", "/dev/tty1", "/dev/ttyS0", "/dev/hvc0"]) func `devices of terminals`(path: String) {
        #expect(ControllingTerminal.isDevicePath(path))
    }

    @Test(arguments: [
        "/dev/tty", "/dev/pts/", "/dev/pts/../null", "/dev/null", "/tmp/pts/3", "/dev/pts/3/x", "pts/3", "/dev/ptmx",
    ])
    func `and what is not a terminal`(path: String) {
        #expect(!ControllingTerminal.isDevicePath(path))
    }
}
