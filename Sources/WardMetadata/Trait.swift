// Without the trait, packages do not fetch the HTTP client that downloads metadata.
#if !Metadata
#error("WardMetadata needs the trait Metadata of Ward. Where you depend on Ward, write traits: [\"Metadata\"]")
#endif
