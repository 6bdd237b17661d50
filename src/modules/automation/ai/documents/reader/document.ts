/** The text of a document, and how many pages it has; `null` if it has none. */
export interface DocumentText {
  pages: number | null
  text: string
}

/** Reads the text of a document. Throws DocumentError. */
export type DocumentReader = (bytes: Uint8Array) => Promise<DocumentText>

/** A document cannot be read. `reason` continues "The document …". */
export class DocumentError extends Error {
  override readonly name = 'DocumentError'

  constructor(readonly reason: string) {
    super(reason)
  }
}
