/** Kinds of documents that can be read. */
export const DOCUMENT_KINDS = ['pdf', 'docx', 'html', 'text'] as const
export type DocumentKind = (typeof DOCUMENT_KINDS)[number]

/** Limits of a document (`automation` 6.2a). */
export const MAX_BYTES = 20 * 1_024 * 1_024
export const MAX_PAGES = 1_000
export const MAX_CHARACTERS = 2_000_000

/** A line that the reading process prints. */
export type DocumentLine =
  | { chunk: string }
  | { pages: number | null; characters: number }
  | { error: string }

const BY_EXTENSION: Readonly<Record<string, DocumentKind>> = {
  pdf: 'pdf',
  docx: 'docx',
  html: 'html',
  htm: 'html',
  txt: 'text',
  md: 'text',
  markdown: 'text',
}

const PDF = '%PDF-'
/** A PDF may begin with other bytes. */
const PDF_WITHIN = 1_024

const ZIP = 'PK\u0003\u0004'

/**
 * Returns the kind of a document by its name and its first bytes, which must agree; `null` if it is
 * none that can be read.
 */
export function documentKind(filename: string | null, head: Uint8Array): DocumentKind | null {
  const extension = /\.([^.]+)$/.exec(filename ?? '')?.[1]?.toLowerCase() ?? ''
  const start = Buffer.from(head).toString('latin1')
  const named = BY_EXTENSION[extension] ?? null
  if (start.slice(0, PDF_WITHIN).includes(PDF))
    return named === 'pdf' || named === null ? 'pdf' : null
  if (start.startsWith(ZIP)) return named === 'docx' ? 'docx' : null
  if (named === 'pdf' || named === 'docx') return null
  const isUtf16 = start.startsWith('\u00ff\u00fe') || start.startsWith('\u00fe\u00ff')
  return start.includes('\0') && !isUtf16 ? null : named
}
