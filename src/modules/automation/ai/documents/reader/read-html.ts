import { convert } from 'html-to-text'

import { MAX_BYTES } from '../rules'
import { decodeText } from './decode-text'
import type { DocumentReader } from './document'

const SKIPPED = ['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'img', 'nav']

/** Returns the text of HTML: headings, paragraphs, lists and tables, without scripts and links. */
export const textOfHtml = (html: string): string =>
  convert(html, {
    wordwrap: false,
    limits: { maxInputLength: MAX_BYTES },
    selectors: [
      { selector: 'a', options: { ignoreHref: true } },
      { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
        selector,
        options: { uppercase: false },
      })),
      ...SKIPPED.map((selector) => ({ selector, format: 'skip' })),
    ],
  })

/** Reads the text of a web page. */
export const readHtml: DocumentReader = async (bytes) => ({
  pages: null,
  text: textOfHtml(decodeText(bytes)),
})
