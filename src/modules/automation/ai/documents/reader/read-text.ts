import { decodeText } from './decode-text'
import type { DocumentReader } from './document'

/** Reads plain text and Markdown, which is text that people and models can read as it is. */
export const readText: DocumentReader = async (bytes) => ({ pages: null, text: decodeText(bytes) })
