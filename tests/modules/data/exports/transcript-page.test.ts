import { expect, test } from 'bun:test'

import { parse } from 'csv-parse/sync'

import type { Loose } from '../../../support/client'
import { fetchRaw, upload } from '../../../support/files'
import { exported } from '../../../support/imports'
import { World } from '../../../support/world'

test('a transcript shows each message, note, file and reaction in its place', async () => {
  await using world = await World.create({ tenants: 1 })
  const ana = world.simulator.customer({ waId: '15550711001', name: 'Ana <Sol>' })
  const hello = await ana.says(`Hello "you" & 'me'`)
  await world.settle()
  let manager = await world.as('manager')
  const [found] = (await manager.get('/api/conversations')).data['items'] as Loose[]
  const contactId = String((found?.['contact'] as Loose | undefined)?.['id'])
  const { data: file } = await upload(manager, {
    bytes: new TextEncoder().encode('a list'),
    type: 'text/plain',
    name: 'list & prices.txt',
  })
  world.clock.advance({ minutes: 5 })
  await manager.post(`/api/contacts/${contactId}/messages`, {
    type: 'document',
    media_id: file['id'],
    caption: 'Our prices',
  })
  await world.settle()
  await manager.post(`/api/contacts/${contactId}/notes`, { content: 'Wants <b>two</b>' })
  const [first] = (await manager.get(`/api/contacts/${contactId}/messages`)).data[
    'items'
  ] as Loose[]
  await manager.post(`/api/contacts/${contactId}/messages`, {
    type: 'text',
    text: 'Shall we?',
    reply_to: first?.['id'],
  })
  await world.settle()
  await ana.reacts(hello.id, '👍')
  await world.settle()
  world.clock.advance({ hours: 16 })
  manager = await world.as('manager')
  const base = `/api/conversations/${found?.['id']}/transcript`
  const html = await (await fetchRaw(manager, `${base}?notes=true`)).text()
  const link = `/api/media/${file['id']}" target="_blank" rel="noopener">list &amp; prices.txt`
  const bodyOf = (page: string): string[] =>
    page
      .slice(page.indexOf('<body>'))
      .trimEnd()
      .split('\n')
      .map((line) => line.replaceAll(/https?:\/\/[^/"]+/g, ''))
  const expected = [
    ...['<body>', '<main>', '<header>', '<p>Acme · Conversation</p>'],
    '<h1 dir="auto">Ana &lt;Sol&gt;</h1>',
    '<dl><dt>Contact</dt><dd>15550711001</dd><dt>Number</dt><dd>Acme main · +1 555-010-0001</dd><dt>Period</dt><dd>The whole conversation</dd><dt>Time zone</dt><dd>UTC</dd><dt>Created</dt><dd>Sunday, November 22, 2026, 01:35 by Acme manager</dd></dl>',
    '</header>',
    '<h2>Saturday, November 21, 2026</h2>',
    '<article class="in"><p class="who" dir="auto">Ana &lt;Sol&gt;</p><p class="text" dir="auto">Hello &quot;you&quot; &amp; &#39;me&#39;</p><p class="reactions" dir="auto">👍</p><p class="meta">09:30</p></article>',
    `<article class="out"><p class="who" dir="auto">Acme manager</p><p class="kind" dir="auto">Document</p><p class="text" dir="auto">Our prices</p><p class="file"><a href="${link}</a></p><p class="meta">09:35 · Delivered 09:35</p></article>`,
    '<article class="out"><p class="who" dir="auto">Acme manager</p><blockquote dir="auto">Hello &quot;you&quot; &amp; &#39;me&#39;</blockquote><p class="text" dir="auto">Shall we?</p><p class="meta">09:35 · Delivered 09:35</p></article>',
    '<article class="note"><p class="who" dir="auto">Note by Acme manager</p><p class="text" dir="auto">Wants &lt;b&gt;two&lt;/b&gt;</p><p class="meta">09:35</p></article>',
    '<footer>3 messages, 1 note. End of the transcript.</footer>',
    ...['</main>', '</body>', '</html>'],
  ]
  expect(bodyOf(html)).toEqual(expected)
  expect(html).toContain('<title>Conversation with Ana &lt;Sol&gt;</title>')
  const without = await (await fetchRaw(manager, base)).text()
  expect(bodyOf(without)).toEqual(
    expected
      .filter((line) => !line.includes('class="note"'))
      .map((line) => line.replace('3 messages, 1 note.', '3 messages.')),
  )

  const csv = await (await fetchRaw(manager, `${base}?notes=true&format=csv`)).text()
  const [header, ...rows] = parse(csv, { bom: true }) as string[][]
  expect(header).toEqual(
    'id timestamp contact_id contact_name phone_number direction type kind text latitude longitude reply_to_id reply_to_wa_message_id reply_id media_url mime_type filename status sent_at delivered_at read_at played_at failed_at error pricing_category pricing_type billable cost currency source sent_by account_id wa_message_id template_name ai_generated reactions edited_at revoked_at'.split(
      ' ',
    ),
  )
  const of = (column: string): unknown[] => rows.map((row) => row[header?.indexOf(column) ?? -1])
  expect([of('type'), of('text'), of('sent_by')]).toEqual([
    ['text', 'document', 'text', 'note'],
    [`Hello "you" & 'me'`, 'Our prices', 'Shall we?', 'Wants <b>two</b>'],
    ['', 'Acme manager', 'Acme manager', 'Acme manager'],
  ])
  expect([of('mime_type'), of('filename'), of('reactions')]).toEqual([
    ['', 'text/plain', '', ''],
    ['', 'list & prices.txt', '', ''],
    ['👍 contact', '', '', ''],
  ])
  expect(of('reply_to_id')).toEqual(['', '', String(first?.['id']), ''])
  for (const id of of('id')) expect(id).toMatch(/^[0-9a-f-]{36}$/)
})

test('erasing a person deletes the files of exports that may contain the person, but not those of tags', async () => {
  await using world = await World.create({ tenants: 1 })
  world.stays('exports')
  const { id } = await world.contactOf()
  const admin = await world.as('admin')
  const { about: contacts } = await exported(world, admin, { table: 'contacts' })
  const { about: tags } = await exported(world, admin, { table: 'tags' })
  const { data: erasure } = await admin.post(`/api/contacts/${id}/erase`, { confirm: id })
  await world.settle()
  expect((await admin.get(`/api/privacy/requests/${erasure['id']}`)).data).toMatchObject({
    state: 'completed',
    receipt: { counts: { exports: 1 } },
  })
  const statuses = await Promise.all(
    [contacts, tags].map(
      async (about) => (await admin.get(`/api/exports/${about['id']}`)).data['status'] as string,
    ),
  )
  expect(statuses).toEqual(['expired', 'completed'])
  const late = await admin.get(`/api/exports/${contacts['id']}/download`)
  expect([late.status, late.body.code]).toEqual([404, 'export_expired'])
  const left: string[] = []
  for await (const { name } of world.program.http.files.list()) left.push(name)
  expect(left).toEqual(
    world
      .rows('select stored_as as name from exports where stored_as is not null')
      .map(({ name }) => String(name)),
  )
  expect(left).toHaveLength(1)
})
