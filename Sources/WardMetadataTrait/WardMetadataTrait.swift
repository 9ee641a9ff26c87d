// Every module that needs the trait depends on this one, so a build without the trait stops here and says why. Otherwise the
// build would stop at the import of a library that was not downloaded, before an #error of the module itself.
#if !Metadata
#error("This product of Ward needs the trait Metadata. Where you depend on Ward, write traits: [\"Metadata\"]")
#endif
