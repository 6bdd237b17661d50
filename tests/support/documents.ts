import { ZipFile } from 'yazl'

/** Returns a PDF with a line of text on each page; an empty text makes a page like a scan. */
export function pdfOf(pages: readonly string[]): Uint8Array {
  const objects: string[] = []
  const add = (text: string): number => objects.push(text)
  const font = add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>')
  const parent = 2 * pages.length + 2
  const kids = pages.map((text) => {
    const lines = text.split('\n').map((line) => `(${line}) Tj 0 -16 Td`)
    const stream = text === '' ? '' : `BT /F1 12 Tf 72 720 Td ${lines.join(' ')} ET`
    const content = add(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`)
    return add(
      `<< /Type /Page /Parent ${parent} 0 R /MediaBox [0 0 612 792] /Contents ${content} 0 R ` +
        `/Resources << /Font << /F1 ${font} 0 R >> >> >>`,
    )
  })
  add(
    `<< /Type /Pages /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] /Count ${kids.length} >>`,
  )
  const root = add(`<< /Type /Catalog /Pages ${parent} 0 R >>`)
  const offsets: number[] = []
  let body = '%PDF-1.4\n'
  for (const [index, object] of objects.entries()) {
    offsets.push(body.length)
    body += `${index + 1} 0 obj\n${object}\nendobj\n`
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  return new TextEncoder().encode(
    `${body}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}` +
      `trailer << /Size ${objects.length + 1} /Root ${root} 0 R >>\nstartxref\n${body.length}\n%%EOF`,
  )
}

const TYPES =
  '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
const RELATIONS =
  '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>'

/** Returns a Word document with paragraphs. */
export async function docxOf(paragraphs: readonly string[]): Promise<Uint8Array> {
  const text = paragraphs.map((words) => `<w:p><w:r><w:t>${words}</w:t></w:r></w:p>`).join('')
  const zip = new ZipFile()
  zip.addBuffer(Buffer.from(TYPES), '[Content_Types].xml')
  zip.addBuffer(Buffer.from(RELATIONS), '_rels/.rels')
  zip.addBuffer(
    Buffer.from(
      `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${text}</w:body></w:document>`,
    ),
    'word/document.xml',
  )
  zip.end()
  const pieces: Uint8Array[] = []
  for await (const piece of zip.outputStream as unknown as AsyncIterable<Uint8Array>)
    pieces.push(piece)
  return new Uint8Array(Buffer.concat(pieces))
}
