/**
 * A received file that is not kept yet. It is stored under a random name until it is kept or
 * discarded. Its path is never exposed: as JSON it is its name, type, size and checksum, which also
 * decide whether two requests are the same.
 */
export class StagedFile {
  constructor(
    /** Path of the temporary file. */
    readonly path: string,
    readonly facts: {
      /** The sender's file name without folders; `null` if it has none. */
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
