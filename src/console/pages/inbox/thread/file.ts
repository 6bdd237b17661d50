/** Returns the address of a file. The cookie of the session opens it, and the browser keeps it. */
export const addressOf = (mediaId: string): string => `/api/media/${mediaId}`

/** Saves a file on the device. */
export function download({ id, filename }: { id: string; filename: string | null }): void {
  const link = document.createElement('a')
  link.href = `${addressOf(id)}?download=1`
  link.download = filename ?? id
  link.click()
}
