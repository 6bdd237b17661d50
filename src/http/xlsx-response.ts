import { Readable } from 'node:stream'

import { ZipFile } from 'yazl'

import { zipOutput } from '../infra/zip-output'
import { contentDisposition } from './content-disposition'
import { streamed } from './stream-response'

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** The parts of a workbook beside its one sheet (ECMA-376). */
const FRAME: Record<string, string> = {
  '[Content_Types].xml': `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPES}.worksheet+xml"/></Types>`,
  '_rels/.rels': `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Characters that XML 1.0 does not allow are removed. */
// oxlint-disable-next-line no-control-regex -- these are the characters that are meant
const UNPRINTABLE = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g

const cellOf = (text: string): string =>
  text === ''
    ? '<c/>'
    : `<c t="inlineStr"><is><t xml:space="preserve">${text
        .toWellFormed()
        .replaceAll(UNPRINTABLE, '')
        .replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign)}</t></is></c>`

async function* sheetOf(table: AsyncIterable<string[][]>): AsyncGenerator<Buffer> {
  yield Buffer.from(`${HEAD}<worksheet xmlns="${MAIN}"><sheetData>`)
  for await (const rows of table)
    yield Buffer.from(rows.map((cells) => `<row>${cells.map(cellOf).join('')}</row>`).join(''))
  yield Buffer.from('</sheetData></worksheet>')
}

/**
 * Responds with an XLSX file of one sheet that is generated while it is sent, as fast as the client
 * reads it. Every cell is text, so nothing is a formula.
 */
export function xlsxResponse(
  request: Request,
  filename: string,
  table: AsyncIterable<string[][]>,
): Response {
  const zip = new ZipFile()
  for (const [name, text] of Object.entries(FRAME)) zip.addBuffer(Buffer.from(text), name)
  const output = zipOutput(zip)
  const sheet = Readable.from(sheetOf(table), { objectMode: false })
  // yazl does not listen for errors of its sources; without a listener they end the process.
  sheet.on('error', (error) => zip.emit('error', error))
  zip.addReadStream(sheet, 'xl/worksheets/sheet1.xml')
  zip.end()
  return new Response(streamed(request, output[Symbol.asyncIterator]()), {
    headers: {
      'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'content-disposition': contentDisposition('attachment', filename),
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    },
  })
}
