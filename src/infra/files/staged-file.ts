/**
 * A file that arrived and is not kept yet: it lies under a random name in the folder of the store
 * until somebody keeps it. Where it lies is told to nobody: as JSON it is its name, type, size and
 * checksum, which is also what makes two requests the same one.
 */
export class StagedFile {
  constructor(
    /** Where it lies. */
    readonly path: string,
    readonly facts: {
      /** As its sender called it, without folders; `null` when it has no name. */
      filename: string | null
      /** The type its sender claims. */
      mimeType: string | null
      sizeBytes: number
      /** Hex. */
      sha256: string
    },
  ) {}

  toJSON(): StagedFile['facts'] {
    return this.facts
  }
}
