import { DOCUMENT_KINDS, type DocumentKind } from '../rules'
import { DocumentError, type DocumentReader } from './document'

/**
 * Loads the reader of a kind of document. Nothing can be loaded once the process is locked.
 */
export async function openReader(kind: string): Promise<DocumentReader> {
  if (!isKind(kind)) throw new DocumentError('is of an unknown kind')
  if (kind === 'pdf') return (await import('./read-pdf')).readPdf
  if (kind === 'docx') return (await import('./read-docx')).readDocx
  if (kind === 'html') return (await import('./read-html')).readHtml
  return (await import('./read-text')).readText
}

const isKind = (kind: string): kind is DocumentKind =>
  (DOCUMENT_KINDS as readonly string[]).includes(kind)
