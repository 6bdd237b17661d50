import mammoth from 'mammoth'

import { DocumentError, type DocumentReader } from './document'
import { textOfHtml } from './read-html'

/** Reads the text of a Word document with its headings, lists and tables. Pictures are left out. */
export const readDocx: DocumentReader = async (bytes) => {
  try {
    const { value } = await mammoth.convertToHtml(
      { buffer: Buffer.from(bytes) },
      {
        convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
        externalFileAccess: false,
      },
    )
    return { pages: null, text: textOfHtml(value) }
  } catch {
    throw new DocumentError('is not a readable Word document')
  }
}
