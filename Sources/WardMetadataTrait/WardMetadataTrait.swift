// Every module that needs the trait depends on this one, so a build without the trait stops here and says why. A module that
// imports a library that was not fetched would stop at the import, before it reaches an #error of its own.
#if !Metadata
#error("This product of Ward needs the trait Metadata. Where you depend on Ward, write traits: [\"Metadata\"]")
#endif
