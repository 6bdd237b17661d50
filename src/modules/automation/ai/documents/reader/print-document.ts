import { splitText } from '../../chunks/split'
import { MAX_CHARACTERS, type DocumentLine } from '../rules'
import { DocumentError, type DocumentText } from './document'

/** Prints a document as lines of JSON: its parts, then its size or the reason why it has none. */
export async function printDocument(read: () => Promise<DocumentText>): Promise<void> {
  try {
    const { pages, text } = await read()
    const clean = cleanText(text)
    if (clean === '') throw new DocumentError('has no text. If it is a scan, run OCR on it first')
    if (clean.length > MAX_CHARACTERS)
      throw new DocumentError(`has more than ${MAX_CHARACTERS.toLocaleString('en')} characters`)
    for (const chunk of splitText(clean)) await print({ chunk })
    await print({ pages, characters: clean.length })
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    await print({ error: error.reason })
  }
}

/** Returns a text without control characters and without long runs of white space. */
const cleanText = (text: string): string =>
  text
    .normalize('NFC')
    .replaceAll(/\r\n?/g, '\n')
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f\ufeff]/g, '')
    .replaceAll(/[ \t\u00a0]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
    .toWellFormed()

const print = (line: DocumentLine): Promise<unknown> =>
  Bun.write(Bun.stdout, `${JSON.stringify(line)}\n`)
