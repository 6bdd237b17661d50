import { readFileSync } from 'node:fs'

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { ADMINS, Installation, signIn } from '../chaos/installation'
import type { Client } from '../support/client'
import { upload } from '../support/files'
import type { ServerProcess } from '../support/process'
import { partsOfXlsx, zipOf } from '../support/xlsx'

const MIB = 1_024 * 1_024
/** By so much the server may grow while it reads any file (messages contract 3). */
const MAX_GROWTH_MIB = 64

/**
 * Whether every bomb is tried at its full size, as `bun run test:long` does. Otherwise one bomb for
 * each way to read a file is large. The others are a little above the limit that must stop them,
 * and bombs that need many seconds are left out.
 */
const isFull = process.env['TABLE_BOMBS'] === 'full'
/** Size of the largest bombs unpacked, and of most others, MiB. */
const LARGEST = 100
const LARGE = isFull ? LARGEST : 2
/** Size of most CSV files, MiB. A file may have 50. */
const LARGE_CSV = isFull ? 49 : 2
/** Size of files that are read at the same time, MiB. */
const TOGETHER = isFull ? 20 : 4

let installation: Installation
let server: ServerProcess
let admin: Client
/** Size of the server once it has read ordinary files of each kind, MiB. */
let warmMib = 0

beforeAll(async () => {
  installation = new Installation({ DB_CACHE_MIB: '8', RATE_BULK: '0' })
  server = await installation.start()
  admin = await signIn(server.url, ADMINS[0])
  for (const file of [
    tableOf(rowsOf(3_000)),
    Buffer.from(`phone_number,name\n${'15550100000,Ana\n'.repeat(25_000)}`),
  ])
    for (let round = 0; round < 3; round += 1) await handIn(file)
  const prices = Buffer.from(`${PRICE_HEADER}${'XX,MARKETING,1,USD,2026-01-01\n'.repeat(9_000)}`)
  for (let round = 0; round < 3; round += 1) await handIn(prices, PRICES)
  warmMib = memoryMib()
}, 60_000)

afterAll(async () => {
  await server.stop()
  installation.remove()
})

const PEOPLE = { path: '/api/import', fields: { table: 'contacts', dry_run: 'true' } }
const PRICES = { path: '/api/prices/import' }

const memoryMib = (): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1] ?? 0) /
  1_024

/**
 * How much larger the server was at its largest than before, MiB. Memory that the warm server had
 * and has given back in the meantime does not count as growth.
 */
async function growthOf(work: () => Promise<unknown>): Promise<number> {
  const before = Math.max(warmMib, memoryMib())
  let most = before
  const watch = setInterval(() => (most = Math.max(most, memoryMib())), 5)
  await work().finally(() => clearInterval(watch))
  return Math.max(most, memoryMib()) - before
}

/**
 * Uploads a file and returns the answer. The trial of its rows that would follow is cancelled: it
 * reads no file, and would go on beside the next one.
 */
async function handIn(
  bytes: Uint8Array,
  to: { path: string; fields?: Record<string, string> } = PEOPLE,
): Promise<string> {
  const answer = await upload(admin, { ...to, name: 'table', bytes })
  if (to === PEOPLE && answer.status === 201)
    await admin.post(`/api/imports/${answer.data['id']}/cancel`)
  return `${answer.status} ${answer.body.code ?? ''}`.trim()
}

const PRICE_HEADER = 'country,category,price,currency,effective_from\n'
const HEADER = '<row r="1"><c r="A1" t="inlineStr"><is><t>phone_number</t></is></c></row>'

/** A table whose parts are replaced, or filled with so much. */
const tableOf = (rows: string, replaced: Record<string, string | Uint8Array> = {}): Uint8Array =>
  zipOf({ ...partsOfXlsx(HEADER + rows), ...replaced })

const rowsOf = (count: number): string =>
  Array.from(
    { length: count },
    (_, nth) =>
      `<row><c><v>${15_550_000_000 + nth}</v></c><c t="inlineStr"><is><t>Person ${nth}</t></is></c></row>`,
  ).join('')

/** So many MiB of a text again and again between two others. */
const filled = (before: string, unit: string, mib: number, after: string): Uint8Array => {
  const middle = Buffer.alloc(mib * MIB - ((mib * MIB) % unit.length), unit)
  return Buffer.concat([Buffer.from(before), middle, Buffer.from(after)])
}

const SHEET = 'xl/worksheets/sheet7.xml'
const TEXTS = 'xl/sharedStrings.xml'
const within = (content: string, unit: string, tail = '', mib = LARGE): Uint8Array =>
  filled(`<worksheet><sheetData>${HEADER}${content}`, unit, mib, `${tail}</sheetData></worksheet>`)

const ONE_ROW = '<row><c><v>15550100001</v></c></row>'
const FULL_ROW = `<row>${'<c t="s"><v>0</v></c>'.repeat(500)}</row>`

const bombs: [what: string, file: () => Uint8Array, answer: string][] = [
  [
    'a cell of 100 MB',
    () =>
      tableOf('', {
        [SHEET]: within('<row><c t="inlineStr"><is><t>', 'x', '</t></is></c></row>', LARGEST),
      }),
    '400 cell_too_long',
  ],
  [
    'a long cell in CDATA',
    () =>
      tableOf('', { [SHEET]: within('<row><c t="str"><v><![CDATA[', '<x', ']]></v></c></row>') }),
    '400 cell_too_long',
  ],
  [
    'a long comment',
    () => tableOf('', { [SHEET]: within('<!--', '<x', '-->') }),
    '400 cell_too_long',
  ],
  [
    'a long shared text',
    () => tableOf(ONE_ROW, { [TEXTS]: filled('<sst><si><t>', 'x', LARGE, '</t></si></sst>') }),
    '400 cell_too_long',
  ],
  [
    'a long shared text in parts',
    () =>
      tableOf(ONE_ROW, { [TEXTS]: filled('<sst><si>', '<r><t>x</t></r>', LARGE, '</si></sst>') }),
    '400 cell_too_long',
  ],
  [
    'a long attribute',
    () => tableOf('', { [SHEET]: within('<row a="', 'x', '"/>') }),
    '400 cell_too_long',
  ],
  [
    'millions of attributes',
    () => tableOf('', { [SHEET]: within('<row ', 'abcdefgh="1" ', '/>') }),
    '400 cell_too_long',
  ],
  ['elements in elements', () => tableOf('', { [SHEET]: within('', '<a>') }), '400 malformed_xlsx'],
  [
    'a text that says long ones a hundred million times',
    () =>
      tableOf(FULL_ROW.repeat(isFull ? 2_000 : 2), {
        [TEXTS]: `<sst><si><t>${'x'.repeat(32_767)}</t></si></sst>`,
      }),
    '400 row_too_long',
  ],
  [
    'rows that say a long text again and again, none of them too long',
    () =>
      tableOf(`<row>${'<c t="s"><v>0</v></c>'.repeat(31)}</row>`.repeat(isFull ? 20_000 : 300), {
        [TEXTS]: `<sst><si><t>${'x'.repeat(32_767)}</t></si></sst>`,
      }),
    '413 too_large_unpacked',
  ],
  [
    'thousands of parts',
    () =>
      tableOf(
        ONE_ROW,
        Object.fromEntries(
          Array.from({ length: 10_001 }, (_, nth) => [`xl/worksheets/more${nth}.xml`, '<x/>']),
        ),
      ),
    '413 too_many_parts',
  ],
  [
    'millions of formats',
    () =>
      tableOf(ONE_ROW, {
        'xl/styles.xml': filled(
          '<styleSheet><cellXfs>',
          '<xf numFmtId="14"/>',
          isFull ? 200 : 17,
          '</cellXfs></styleSheet>',
        ),
      }),
    '413 too_large_unpacked',
  ],
  [
    'a format that is hard to read',
    () =>
      tableOf(ONE_ROW, {
        'xl/styles.xml': `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="${'['.repeat(400_000)}"/></numFmts></styleSheet>`,
      }),
    '201',
  ],
  [
    'millions of empty rows',
    () => tableOf('', { [SHEET]: within('', '<row/>') }),
    '413 too_many_rows',
  ],
  [
    'millions of cells in a row',
    () => tableOf('', { [SHEET]: within('<row>', '<c><v>1</v></c>', '</row>') }),
    '400 too_many_columns',
  ],
  [
    'a CSV file of empty lines',
    () => filled('phone_number\n15550100001\n', '\n', LARGE_CSV, ''),
    '413 too_many_rows',
  ],
  ['a CSV row of commas', () => filled('phone_number\n', ',', LARGE_CSV, '\n'), '400 row_too_long'],
  ['a CSV cell of 49 MB', () => filled('phone_number\n"', 'x', 49, '"\n'), '400 row_too_long'],
  [
    'a CSV cell of 40,000 characters',
    () => Buffer.from(`phone_number,name\n15550100001,${'x'.repeat(40_000)}\n`),
    '400 cell_too_long',
  ],
  [
    'a CSV header of commas',
    () => filled('phone_number', ',', LARGE_CSV, '\n1\n'),
    '400 row_too_long',
  ],
  [
    'a CSV file of 200,000 rows',
    () =>
      Buffer.from(
        `phone_number,name\n${'15550100001,A person with a name and more than that\n'.repeat(200_000)}`,
      ),
    '201',
  ],
  ['a table of many rows', () => tableOf(rowsOf(isFull ? 30_000 : 4_000)), '201'],
]

/** Bombs that take many seconds each. Their limits are also reached by several files at once. */
const slowBombs: typeof bombs = [
  [
    'empty shared texts',
    () => tableOf(ONE_ROW, { [TEXTS]: filled('<sst>', '<si/>', 30, '</sst>') }),
    '413 too_large_unpacked',
  ],
  [
    '60 MB of shared texts',
    () =>
      tableOf(ONE_ROW, {
        [TEXTS]: filled('<sst>', `<si><t>${'x'.repeat(300)}</t></si>`, 60, '</sst>'),
      }),
    '201',
  ],
  [
    'millions of sheets',
    () =>
      tableOf(ONE_ROW, {
        'xl/workbook.xml': filled(
          '<workbook xmlns:r="r"><sheets><sheet r:id="rId3"/>',
          '<sheet r:id="rId4"/>',
          12,
          '</sheets></workbook>',
        ),
      }),
    '201',
  ],
  [
    'a CSV file of three million cells',
    () =>
      Buffer.from(`phone_number${',x'.repeat(119)}\n${`1${',2'.repeat(119)}\n`.repeat(25_000)}`),
    '201',
  ],
  ['a table of 100,000 rows', () => tableOf(rowsOf(100_000)), '201'],
]

const priceBombs: [what: string, file: () => Uint8Array, answer: string][] = [
  ['a row of commas', () => filled('country', ',', 3, '\n'), '400 row_too_long'],
  ['a million lines', () => filled(PRICE_HEADER, 'x\n', 3, ''), '400 invalid_input'],
  ['empty lines', () => filled(PRICE_HEADER, '\n', 3, ''), '400 invalid_input'],
  [
    'a row of a million countries',
    () => filled(PRICE_HEADER, 'BR|', 3, ',MARKETING,1,USD,2026-01-01\n'),
    '400 row_too_long',
  ],
  [
    'a cell of many countries',
    () => Buffer.from(`${PRICE_HEADER}${'BR|'.repeat(20_000)},MARKETING,1,USD,2026-01-01\n`),
    '400 cell_too_long',
  ],
]

describe('a file uses at most 64 MB of memory', () => {
  for (const [what, make, answer] of priceBombs)
    test(`as a price list: ${what}`, async () => {
      const file = make()
      let given = ''
      const growth = await growthOf(async () => (given = await handIn(file, PRICES)))
      expect(given).toBe(answer)
      expect(growth).toBeLessThan(MAX_GROWTH_MIB)
    }, 60_000)

  for (const [what, make, answer] of isFull ? [...bombs, ...slowBombs] : bombs)
    test(
      what,
      async () => {
        const file = make()
        expect(file.length).toBeLessThan(50 * MIB)
        let given = ''
        const growth = await growthOf(async () => (given = await handIn(file)))
        expect(given).toBe(answer)
        expect(growth).toBeLessThan(MAX_GROWTH_MIB)
      },
      60_000,
    )

  test('even beside several others', async () => {
    const texts = tableOf(ONE_ROW, {
      [TEXTS]: filled('<sst>', `<si><t>${'x'.repeat(300)}</t></si>`, TOGETHER, '</sst>'),
    })
    const files = [
      texts,
      texts,
      filled('phone_number\n', ',', TOGETHER, '\n'),
      tableOf('', { [SHEET]: within('', '<row/>') }),
    ]
    let given: string[] = []
    const growth = await growthOf(
      async () => (given = await Promise.all(files.map((file) => handIn(file)))),
    )
    expect(given).toEqual(['201', '201', '400 row_too_long', '413 too_many_rows'])
    expect(growth).toBeLessThan(MAX_GROWTH_MIB)
  }, 60_000)
})
