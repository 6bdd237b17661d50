/** Characters that need no escaping in an extended value (RFC 5987, attr-char). */
const PLAIN = /[A-Za-z0-9!#$&+.^_`|~-]/

const percent = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`

/**
 * Returns the header that tells how to handle a file and its name (RFC 6266): an ASCII name for old
 * clients, and the real name if it differs.
 */
export function contentDisposition(handling: 'inline' | 'attachment', filename: string): string {
  const plain = filename.replaceAll(/[^\x20-\x7e]/g, '_').replaceAll(/["\\%]/g, '_')
  const extended = [...new TextEncoder().encode(filename.toWellFormed())]
    .map((byte) =>
      byte < 0x80 && PLAIN.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : percent(byte),
    )
    .join('')
  return `${handling}; filename="${plain}"${plain === filename ? '' : `; filename*=UTF-8''${extended}`}`
}
