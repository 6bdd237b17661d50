/**
 * Returns the preview to store beside a content: `null` if it is the content's text, which the
 * database reads there. SQLite reads a NUL in JSON as the end of the text.
 */
export function ownPreviewOf(preview: string, content: { text?: unknown }): string | null {
  const isText = preview === content.text && preview.isWellFormed() && !preview.includes('\0')
  return isText ? null : preview
}
