/** Returns the address of a file. The cookie of the session opens it, and the browser keeps it. */
export const addressOf = (mediaId: string): string => `/api/media/${mediaId}`

/** Saves a file on the device. */
export function download({ id, filename }: { id: string; filename: string | null }): void {
  const link = document.createElement('a')
  link.href = `${addressOf(id)}?download=1`
  link.download = shownName(filename) ?? id
  link.click()
}

/** Characters that turn the direction of the text after them: `exe` could be shown before its dot. */
const TURNS = /[\u202A-\u202E\u2066-\u2069]/gu

/** Returns the name of a file as it is shown, in the order of its characters. */
export const shownName = (filename: string | null | undefined): string | null =>
  filename?.replaceAll(TURNS, '') ?? null
