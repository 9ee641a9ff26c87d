/// Interpreters: programs that run scripts or other programs.
///
/// If one is registered as an app, all programs that it runs count as this app.
enum Interpreters {
    private static let names: Set<String> = [
        // Shells, and programs that start other programs
        "sh", "bash", "dash", "zsh", "fish", "ksh", "mksh", "tcsh", "csh", "busybox", "toybox", "env", "xargs", "nohup",
        "sudo",
        "flatpak", "bwrap", "snap", "gdb", "lldb", "strace", "perf", "wine", "wine64", "appimagelauncher",
        // Languages
        "python", "pypy", "node", "nodejs", "deno", "bun", "ruby", "perl", "php", "lua", "luajit", "java", "mono",
        "dotnet",
        "guile", "gjs", "tclsh", "wish", "expect", "R", "Rscript", "julia", "erl", "beam.smp", "elixir", "racket",
        "sbcl",
        "ghci", "runghc", "swift", "swift-frontend", "electron", "pwsh", "awk", "gawk", "mawk", "sed", "vim", "nvim",
        "emacs",
    ]

    /// Whether a program is an interpreter, by its file name without the version: `python3.11` counts as `python`.
    static func include(_ path: String) -> Bool {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        // The dynamic loader runs any program that is its argument.
        if file.hasPrefix("ld-linux") || file.hasPrefix("ld-musl") || file.hasPrefix("ld.so") { return true }
        if file.hasPrefix("qemu-") { return true }
        if names.contains(file) { return true }
        let base = file.prefix { !$0.isNumber && $0 != "-" }
        let rest = file.dropFirst(base.count)
        return names.contains(String(base)) && rest.allSatisfy { $0.isNumber || $0 == "." || $0 == "-" }
    }
}
