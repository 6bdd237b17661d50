import { definePDFJSModule, getDocumentProxy } from 'unpdf'

import { MAX_CHARACTERS, MAX_PAGES } from '../rules'
import { DocumentError, type DocumentReader } from './document'

// Loaded here because nothing can be loaded once the process is locked.
await definePDFJSModule(() => import('unpdf/pdfjs'))

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>

/** No fonts, no scripts, no files of the system, and no warnings on standard output. */
const OPTIONS = {
  verbosity: 0,
  isEvalSupported: false,
  disableFontFace: true,
  useSystemFonts: false,
  stopAtErrors: false,
}

/** Reads the text of a PDF page by page. Pictures are not decoded. */
export const readPdf: DocumentReader = async (bytes) => {
  const pdf = await open(bytes)
  if (pdf.numPages > MAX_PAGES)
    throw new DocumentError(`has more than ${MAX_PAGES.toLocaleString('en')} pages`)
  const pages: string[] = []
  let characters = 0
  for (let number = 1; number <= pdf.numPages && characters <= MAX_CHARACTERS; number += 1) {
    const text = await pageText(pdf, number)
    characters += text.length
    pages.push(text)
  }
  return { pages: pdf.numPages, text: pages.join('\n\n') }
}

async function open(bytes: Uint8Array): Promise<Pdf> {
  try {
    return await getDocumentProxy(bytes, OPTIONS)
  } catch (error) {
    const isLocked = error instanceof Error && error.name === 'PasswordException'
    throw new DocumentError(isLocked ? 'is protected by a password' : 'is not a readable PDF')
  }
}

async function pageText(pdf: Pdf, number: number): Promise<string> {
  const page = await pdf.getPage(number)
  const { items } = await page.getTextContent()
  page.cleanup()
  return items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('')
}
