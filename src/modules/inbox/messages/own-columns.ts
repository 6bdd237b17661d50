import type { MessageRow } from './view'

/** Returns a value to store, `null` for the one that the database fills in. */
const unless = <T>(value: T, usual: T): T | null => (value === usual ? null : value)

/** Returns the status to store. */
export const ownStatusOf = (status: MessageRow['status']): MessageRow['ownStatus'] =>
  unless(status, 'delivered')

/**
 * Returns the type and preview to store beside a content. The database reads a preview that is the
 * content's text there; SQLite reads a NUL in JSON as the end of the text.
 */
export function ownBody(
  type: string,
  preview: string,
  { text }: { text?: unknown },
): Pick<MessageRow, 'ownType' | 'ownPreview'> {
  const isText = preview === text && preview.isWellFormed() && !preview.includes('\0')
  return { ownType: unless(type, 'text'), ownPreview: isText ? null : preview }
}

/** Returns the columns to store of a message for those that the database fills in. */
export const ownColumns = (
  message: Pick<MessageRow, 'type' | 'preview' | 'status' | 'source'> & {
    content: Record<string, unknown>
  },
): Pick<MessageRow, 'ownType' | 'ownPreview' | 'ownStatus' | 'ownSource'> => ({
  ...ownBody(message.type, message.preview, message.content),
  ownStatus: ownStatusOf(message.status),
  ownSource: unless(message.source, 'contact'),
})
