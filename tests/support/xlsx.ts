import { deflateRawSync } from 'node:zlib'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Returns a ZIP file of these parts, each compressed; `claimed` is the declared size of a part. */
export function zipOf(
  parts: Record<string, string | Uint8Array>,
  claimed: Record<string, number> = {},
): Uint8Array {
  const local: Uint8Array[] = []
  const directory: Uint8Array[] = []
  /** What was packed, by content: packing costs more than anything else for thousands of parts. */
  const known = new Map<string | Uint8Array, Uint8Array>()
  let offset = 0
  for (const [name, content] of Object.entries(parts)) {
    const bytes = typeof content === 'string' ? bytesOf(content) : content
    const packed = known.get(content) ?? deflateRawSync(bytes)
    known.set(content, packed)
    const sizes = [Bun.hash.crc32(bytes), packed.length, claimed[name] ?? bytes.length]
    const head = headerOf(0x04034b50, [20, 0, 8, 0, 0x21], sizes, [name.length, 0])
    local.push(head, bytesOf(name), packed)
    const entry = headerOf(0x02014b50, [20, 20, 0, 8, 0, 0x21], sizes, [name.length, 0, 0, 0, 0])
    const tail = Buffer.alloc(8)
    tail.writeUInt32LE(offset, 4)
    directory.push(entry, tail, bytesOf(name))
    offset += head.length + name.length + packed.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Object.keys(parts).length, 8)
  end.writeUInt16LE(Object.keys(parts).length, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...local, listed, end])
}

/** A header of a ZIP file: signature, then words of two, of four and of two bytes. */
function headerOf(signature: number, short: number[], long: number[], rest: number[]): Buffer {
  const header = Buffer.alloc(4 + 2 * short.length + 4 * long.length + 2 * rest.length)
  let at = header.writeUInt32LE(signature, 0)
  for (const word of short) at = header.writeUInt16LE(word, at)
  for (const word of long) at = header.writeUInt32LE(word, at)
  for (const word of rest) at = header.writeUInt16LE(word, at)
  return header
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/**
 * Returns the parts of a workbook as spreadsheet programs write them: the first sheet holds `rows`
 * (XML), and its texts are stored separately.
 */
export const partsOfXlsx = (rows: string, texts: string[] = []): Record<string, string> => ({
  '[Content_Types].xml': `${HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
  'xl/workbook.xml': `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets><sheet name="People" sheetId="1" r:id="rId3"/><sheet name="Other" sheetId="2" r:id="rId4"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `${HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${RELATIONS}/styles" Target="styles.xml"/><Relationship Id="rId2" Type="${RELATIONS}/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="rId3" Type="${RELATIONS}/worksheet" Target="/xl/worksheets/sheet7.xml"/><Relationship Id="rId4" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
  'xl/styles.xml': `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>`,
  'xl/sharedStrings.xml': `${HEAD}<sst xmlns="${MAIN}">${texts.map((text) => `<si>${text}</si>`).join('')}</sst>`,
  'xl/worksheets/sheet7.xml': `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>${rows}</sheetData></worksheet>`,
  'xl/worksheets/sheet1.xml': `${HEAD}<worksheet xmlns="${MAIN}"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>wrong sheet</t></is></c></row></sheetData></worksheet>`,
})
