import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { postForm } from '../../../support/files'
import { countsOf, handIn, imported, reportOf } from '../../../support/imports'
import { World } from '../../../support/world'
import { partsOfXlsx, zipOf } from '../../../support/xlsx'

let world: World
let manager: Client

beforeAll(async () => {
  world = await World.create({ isConnected: false, tenants: 1 })
  manager = await world.as('manager')
  await (
    await world.as('admin')
  ).post('/api/contact-attributes', { key: 'born', label: 'Date of birth', type: 'date' })
  await (
    await world.as('admin')
  ).post('/api/contact-attributes', { key: 'address', label: 'Address', type: 'text' })
})

afterAll(() => world.stop())

const named = async (search: string): Promise<Loose | undefined> =>
  (
    (await manager.get(`/api/contacts?search=${encodeURIComponent(search)}`)).data[
      'items'
    ] as Loose[]
  )[0]

const utf16 = (text: string, isBig: boolean): Uint8Array => {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le')
  return isBig ? bytes.swap16() : bytes
}

describe('CSV files', () => {
  const forms: [what: string, make: (number: string) => string | Uint8Array][] = [
    ['commas, CRLF', (number) => `phone_number,name\r\n${number},Zoë Ångström\r\n`],
    [
      'LF, without an end of the last line',
      (number) => `phone_number,name\n${number},Zoë Ångström`,
    ],
    ['CR alone', (number) => `phone_number,name\r${number},Zoë Ångström\r`],
    ['a mark of UTF-8', (number) => `\uFEFFphone_number,name\r\n${number},Zoë Ångström\r\n`],
    ['semicolons', (number) => `phone_number;name;note\r\n${number};Zoë Ångström;a, b, c, d\r\n`],
    ['tabs', (number) => `phone_number\tname\r\n${number}\tZoë Ångström\r\n`],
    ['bars', (number) => `phone_number|name\r\n${number}|Zoë Ångström\r\n`],
    [
      'a heading in quotation marks with commas in it',
      (number) => `"phone_number";"name";"a, b, ""c"",\n d"\r\n${number};"Zoë Ångström";\r\n`,
    ],
    [
      'UTF-16, little end first',
      (number) => utf16(`phone_number,name\r\n${number},Zoë Ångström\r\n`, false),
    ],
    [
      'UTF-16, big end first',
      (number) => utf16(`phone_number,name\r\n${number},Zoë Ångström\r\n`, true),
    ],
    [
      'empty lines',
      (number) => `\r\n\r\nphone_number,name\r\n\r\n${number},Zoë Ångström\r\n,\r\n\r\n`,
    ],
    [
      'columns in another order, with other words, spaces and case',
      (number) =>
        ` Full Name ,  NOTE, Téléphone\r\nZoë Ångström,x,${number}\r\n`.replace(
          'Téléphone',
          'Whats-App Number',
        ),
    ],
    [
      'an apostrophe before a number',
      (number) => `phone_number,name\r\n'+${number},Zoë Ångström\r\n`,
    ],
  ]
  for (const [index, [what, make]] of forms.entries())
    test(what, async () => {
      const number = `155502000${String(index).padStart(2, '0')}`
      const about = await imported(world, manager, { file: make(number) })
      expect({ counts: countsOf(about), rows: about['rows_total'] }).toEqual({
        counts: [1, 0, 0, 0],
        rows: 1,
      })
      expect(await named(number)).toMatchObject({
        phone_number: number,
        name: 'Zoë Ångström',
        source: 'import',
      })
    })

  test('keep commas, quotation marks and line ends inside quoted cells', async () => {
    await imported(world, manager, {
      file: 'phone_number,name,address\r\n15550201000,"Sol, ""Ana""","1, Sea Road\nLima"\r\n',
    })
    expect(await named('15550201000')).toMatchObject({
      name: 'Sol, "Ana"',
      attributes: { address: '1, Sea Road\nLima' },
    })
  })

  test('number rows from 1 and include empty ones', async () => {
    const about = await imported(world, manager, {
      file: 'phone_number,name\r\nx,One\r\n\r\ny,Three\r\n',
    })
    expect((await reportOf(manager, about)).map(({ row }) => row as number)).toEqual([1, 3])
  })

  test('reject a row beyond the headings and accept a shorter one', async () => {
    const about = await imported(world, manager, {
      file: 'phone_number,name\r\n15550201001,Long,more\r\n15550201002\r\n15550201003,Empty,,\r\n',
    })
    expect(countsOf(about)).toEqual([2, 0, 0, 1])
    expect(await reportOf(manager, about, '&outcome=failed')).toMatchObject([
      {
        row: 1,
        contact_id: null,
        errors: [{ column: null, message: 'has more cells than the header' }],
      },
    ])
  })
})

describe('XLSX files', () => {
  test('support texts, numbers, dates, formats, gaps and empty rows', async () => {
    const texts = [
      '<t>Mobile phone</t>',
      '<t>Name</t>',
      '<t>Date of birth</t>',
      '<r><t xml:space="preserve">Ana </t></r><r><t>Sol</t></r><rPh><t>no</t></rPh>',
      '<t>Tags</t>',
    ]
    const rows = [
      '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="D1" t="s"><v>2</v></c><c r="E1" t="s"><v>4</v></c></row>',
      '<row r="2"><c r="A2"><v>1.5550202001E10</v></c><c r="B2" t="s"><v>3</v></c><c r="D2" s="1"><v>32874</v></c></row>',
      '<row r="3"><c r="A3" s="1"/></row>',
      '<row r="5"><c r="A5" t="inlineStr"><is><t>+1 555 020 2002</t></is></c><c r="B5" t="str"><f>A1&amp;B1</f><v>By &amp; formula</v></c><c r="D5" s="2"><v>32875</v></c><c r="E5" t="b"><v>1</v></c></row>',
      '<row><c t="e"><v>#N/A</v></c><c t="inlineStr"><is><t>No number</t></is></c></row>',
    ]
    const about = await imported(world, manager, {
      file: zipOf(partsOfXlsx(rows.join(''), texts)),
      name: 'people.xlsx',
    })
    expect([about['filename'], countsOf(about)]).toEqual(['people.xlsx', [2, 0, 0, 1]])
    expect(
      (await reportOf(manager, about)).map(({ row, outcome }) => [row, outcome] as unknown),
    ).toEqual([
      [1, 'created'],
      [4, 'created'],
      [5, 'failed'],
    ])
    expect(await named('15550202001')).toMatchObject({
      name: 'Ana Sol',
      attributes: { born: '1990-01-01' },
    })
    expect(await named('15550202002')).toMatchObject({
      name: 'By & formula',
      attributes: { born: '1990-01-02' },
      tags: [{ name: 'true' }],
    })
  })

  test('are detected by content, not by name', async () => {
    const rows =
      '<row r="1"><c r="A1" t="inlineStr"><is><t>phone_number</t></is></c></row><row r="2"><c r="A2"><v>15550202003</v></c></row>'
    const about = await imported(world, manager, {
      file: zipOf(partsOfXlsx(rows)),
      name: 'people.csv',
    })
    expect(countsOf(about)).toEqual([1, 0, 0, 0])
  })
})

const cell = (text: string): string =>
  `<row r="1"><c r="A1" t="inlineStr"><is><t>${text}</t></is></c></row>`
const parts = partsOfXlsx(cell('phone_number'))

describe('an invalid file is rejected and nothing is stored', () => {
  const refusals: [what: string, file: string | Uint8Array, status: number, code: string][] = [
    ['no bytes', '', 400, 'empty_file'],
    ['only a header', 'phone_number,name\r\n', 400, 'empty_file'],
    ['nothing but empty lines', '\r\n\r\n,,\r\n', 400, 'empty_file'],
    ['no column that is required', 'name,city\r\nAna,Lima\r\n', 400, 'missing_column'],
    ['no header at all', '15550200001,Ana\r\n15550200002,Ben\r\n', 400, 'missing_column'],
    ['one column twice', 'phone_number,phone_number\r\n1,2\r\n', 400, 'duplicate_column'],
    ['two words for one column', 'mobile,telephone\r\n1,2\r\n', 400, 'duplicate_column'],
    ['a heading that is too long', `phone_number,${'x'.repeat(300)}\r\n1,2\r\n`, 400, 'bad_header'],
    [
      'a huge header',
      `phone_number,${Array.from({ length: 600 }, (_, nth) => `c${nth}`).join(',')}\r\n1\r\n`,
      400,
      'too_many_columns',
    ],
    ['a header that never ends', `"phone_number${'x'.repeat(600_000)}`, 400, 'malformed_csv'],
    [
      'a quotation mark that is never closed',
      `phone_number,name\r\n1,"Ana\r\n${'2,Ben\r\n'.repeat(60_000)}`,
      400,
      'row_too_long',
    ],
    [
      'another encoding',
      new Uint8Array([...Buffer.from('phone_number,name\r\n15550200001,Jos'), 0xe9, 0x0d, 0x0a]),
      400,
      'bad_encoding',
    ],
    ['a PDF', '%PDF-1.7\n%âãÏÓ', 415, 'unsupported_media_type'],
    [
      'a picture',
      new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, ...Array<number>(200).fill(0)]),
      415,
      'unsupported_media_type',
    ],
    [
      'an old table',
      new Uint8Array([
        0xd0,
        0xcf,
        0x11,
        0xe0,
        0xa1,
        0xb1,
        0x1a,
        0xe1,
        ...Array<number>(500).fill(0),
      ]),
      415,
      'unsupported_media_type',
    ],
    ['bytes', new Uint8Array(5_000), 415, 'unsupported_media_type'],
    ['a ZIP file that is no table', zipOf({ 'hello.txt': 'hello' }), 415, 'unsupported_media_type'],
    ['half a ZIP file', zipOf(parts).slice(0, 300), 415, 'unsupported_media_type'],
    [
      'a sheet that is no XML',
      zipOf({ ...parts, 'xl/worksheets/sheet7.xml': '<worksheet><row' }),
      400,
      'malformed_xlsx',
    ],
    [
      'entities that grow',
      zipOf({
        ...parts,
        'xl/worksheets/sheet7.xml': `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${cell('&b;')}`,
      }),
      400,
      'malformed_xlsx',
    ],
    [
      'a sheet that is not there',
      zipOf({ ...parts, 'xl/_rels/workbook.xml.rels': '<Relationships/>' }),
      415,
      'unsupported_media_type',
    ],
    [
      'a size that is a lie',
      zipOf(parts, { 'xl/worksheets/sheet7.xml': 10 }),
      400,
      'malformed_xlsx',
    ],
    [
      'a bomb',
      zipOf(
        { ...parts, 'xl/worksheets/sheet7.xml': 'x' },
        { 'xl/worksheets/sheet7.xml': 4_000_000_000 },
      ),
      413,
      'too_large_unpacked',
    ],
    ['too many rows', `phone_number\r\n${'1\r\n'.repeat(200_001)}`, 413, 'too_many_rows'],
  ]
  for (const [what, file, status, code] of refusals)
    test(what, async () => {
      const before = [
        world.rows('select id from imports').length,
        world.rows('select id from jobs').length,
      ]
      const answer = await handIn(manager, { file })
      expect({
        status: answer.status,
        code: answer.body.code,
        path: answer.body.errors?.[0]?.path,
      }).toEqual({
        status,
        code,
        path: 'body.file',
      })
      expect([
        world.rows('select id from imports').length,
        world.rows('select id from jobs').length,
      ]).toEqual(before)
      const kept: string[] = []
      for await (const { name } of world.program.http.files.list()) kept.push(name)
      const known = world.rows<{ stored_as: string }>(
        'select stored_as from imports where stored_as is not null',
      )
      expect(kept.toSorted()).toEqual(known.map(({ stored_as }) => stored_as).toSorted())
    })

  test('above 50 MB', async () => {
    const file = new Uint8Array(50 * 1_024 * 1_024 + 1).fill(0x31)
    file.set(new TextEncoder().encode('phone_number\r\n'))
    const answer = await handIn(manager, { file })
    expect([answer.status, answer.body.code]).toEqual([413, 'body_too_large'])
  })

  test('without a form', async () => {
    const answer = await manager.post('/api/import', { table: 'contacts' })
    expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type'])
  })

  test('without a file or table field', async () => {
    const form = new FormData()
    form.set('table', 'people')
    const answer = await postForm(manager, '/api/import', form)
    expect([answer.status, answer.body.errors?.map(({ path }) => path).toSorted()]).toEqual([
      400,
      ['body.file', 'body.table'],
    ])
  })
})

describe('column mapping', () => {
  const file = 'Telefon;Kunde;Geburtstag;name\r\n15550203001;Ana;1990-01-01;ignored\r\n'

  test('accepts an explicit mapping', async () => {
    const mapping = {
      Telefon: 'phone_number',
      Kunde: 'name',
      Geburtstag: 'attributes.born',
      name: null,
    }
    const about = await imported(world, manager, {
      file,
      fields: { column_mapping: JSON.stringify(mapping) },
    })
    expect(about['columns']).toEqual([
      { header: 'Telefon', key: 'phone_number' },
      { header: 'Kunde', key: 'name' },
      { header: 'Geburtstag', key: 'attributes.born' },
      { header: 'name', key: null },
    ])
    expect(await named('15550203001')).toMatchObject({
      name: 'Ana',
      attributes: { born: '1990-01-01' },
    })
  })

  const bad: [mapping: string, path: string][] = [
    ['{"Telefon":"phone"}', 'body.column_mapping.Telefon'],
    ['{"Nobody":"phone_number"}', 'body.column_mapping.Nobody'],
    ['{"Telefon":7}', 'body.column_mapping.Telefon'],
    ['["Telefon"]', 'body.column_mapping'],
    ['{', 'body.column_mapping'],
    ['{"Telefon":"phone_number","Kunde":"phone_number"}', 'body.file'],
  ]
  for (const [mapping, path] of bad)
    test(`rejects the invalid mapping ${mapping}`, async () => {
      const answer = await handIn(manager, { file, fields: { column_mapping: mapping } })
      expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, path])
    })

  const options: [fields: Record<string, string>, path: string][] = [
    [{ default_country: 'XX' }, 'body.default_country'],
    [{ default_country: 'Germany' }, 'body.default_country'],
    [{ tag_ids: 'vip' }, 'body.tag_ids'],
    [{ tag_ids: '["01900000-0000-7000-8000-ffffffffffff"]' }, 'body.tag_ids.0'],
    [{ dry_run: 'maybe' }, 'body.dry_run'],
  ]
  for (const [fields, path] of options)
    test(`rejects the invalid option ${JSON.stringify(fields)}`, async () => {
      const answer = await handIn(manager, { file: 'phone_number\r\n15550203009\r\n', fields })
      expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, path])
    })

  test('is documented by the configuration, including custom fields', async () => {
    const { data } = await manager.get('/api/import/contacts/config')
    expect(data).toMatchObject({ max_rows: 200_000, max_bytes: 52_428_800 })
    expect((data['columns'] as Loose[]).find(({ key }) => key === 'attributes.born')).toEqual({
      key: 'attributes.born',
      label: 'Date of birth',
      required: false,
      type: 'date',
      aliases: ['born'],
    })
    expect(
      ((await manager.get('/api/import/tags/config')).data['columns'] as Loose[]).map(
        ({ key }) => key as unknown,
      ),
    ).toEqual(['name', 'color'])
    expect((await manager.get('/api/import/messages/config')).status).toBe(400)
  })
})
