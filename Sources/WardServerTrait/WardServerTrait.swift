// Every module that needs the trait depends on this one, so a build without the trait stops here and says why. A module that
// imports a library that was not fetched would stop at the import, before it reaches an #error of its own.
#if !Server
#error("This product of Ward needs the trait Server. Where you depend on Ward, write traits: [\"Server\"]")
#endif
