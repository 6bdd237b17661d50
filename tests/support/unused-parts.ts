/** A part of a page that no row uses, between the list of its cells and the cells. */
interface UnusedPart {
  start: number
  end: number
}

const HEADER_BYTES: Record<number, number> = { 2: 12, 5: 12, 10: 8, 13: 8 }
/** Bytes of the file's header, before the header of the first page. */
const FILE_HEADER = 100

/** Returns the unused part of each page of a database (SQLite's file format, 1.6). */
export function unusedPartsOf(bytes: Buffer): UnusedPart[] {
  const pageSize = bytes.readUInt16BE(16)
  return Array.from({ length: bytes.length / pageSize }, (_, page) => {
    const start = page * pageSize
    const header = start + (page === 0 ? FILE_HEADER : 0)
    const headerBytes = HEADER_BYTES[bytes[header] ?? 0]
    return headerBytes === undefined
      ? { start, end: start }
      : {
          start: header + headerBytes + 2 * bytes.readUInt16BE(header + 3),
          end: start + bytes.readUInt16BE(header + 5),
        }
  })
}
