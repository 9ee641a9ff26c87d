// Every module that needs the trait depends on this one, so a build without the trait stops here and says why. Otherwise the
// build would stop at the import of a library that was not downloaded, before an #error of the module itself.
#if !Manager
#error("This product of Ward needs the trait Manager. Where you depend on Ward, write traits: [\"Manager\"]")
#endif
