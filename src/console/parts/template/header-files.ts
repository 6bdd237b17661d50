import type { Template } from '../../api/shapes'
import { listIn, partOf } from '../phone/message'

/** The files that the header of a template takes, and how large WhatsApp lets them be. */
export const HEADER_FILES = {
  IMAGE: { accept: 'image/jpeg,image/png', maxBytes: 5_000_000 },
  VIDEO: { accept: 'video/mp4,video/3gpp', maxBytes: 16_000_000 },
  GIF: { accept: 'video/mp4', maxBytes: 3_500_000 },
  DOCUMENT: { accept: 'application/pdf', maxBytes: 100_000_000 },
} as const

/** Whether a header is a file. */
export const isFile = (format: string): format is keyof typeof HEADER_FILES =>
  format in HEADER_FILES

/**
 * Returns the kind of file that a template begins with, or one of its cards; `null` if it begins with
 * something else.
 */
export function fileFormatOf(
  { components }: Pick<Template, 'components'>,
  card: number | null = null,
): keyof typeof HEADER_FILES | null {
  const parts =
    card === null
      ? components
      : listIn(listIn(partOf(components, 'CAROUSEL'), 'cards')[card], 'components')
  const written = partOf(parts, 'HEADER')?.['format']
  const format = typeof written === 'string' ? written.toUpperCase() : ''
  return isFile(format) ? format : null
}
