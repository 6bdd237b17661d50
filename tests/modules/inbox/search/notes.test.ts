import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Answer, Client, Loose } from '../../../support/client'
import { deliver, personOf, textTo } from '../../../support/lines'
import { SEES_OWN } from '../../../support/inbox'
import { personWith } from '../../../support/people'
import { World } from '../../../support/world'

let world: World
let admin: Client
let ana: string
let ben: string

const contactId = async (nth: number): Promise<string> => {
  await deliver(world, textTo(world, 'Hello', { person: personOf(nth) }))
  const { items } = (await admin.get(`/api/contacts?search=${personOf(nth).waId}`)).data as {
    items: Loose[]
  }
  return String(items[0]?.['id'])
}

const note = async (about: string, content: string): Promise<string> => {
  world.clock.advance({ seconds: 1 })
  return String((await admin.post(`/api/contacts/${about}/notes`, { content })).data['id'])
}

const ask = (query: Record<string, string>, by = admin): Promise<Answer<Loose>> =>
  by.get(`/api/messages/search/notes?${new URLSearchParams(query).toString()}`)

const found = async (q: string, by = admin): Promise<string[]> =>
  ((await ask({ q }, by)).data['items'] as { note: { content: string } }[]).map(
    ({ note: { content } }) => content,
  )

beforeAll(async () => {
  world = await World.create()
  admin = await world.as('admin')
  ana = await contactId(0)
  ben = await contactId(1)
  await note(ana, 'Prefers the Café in the evening')
  await note(ana, 'Wants an invoice by mail')
  await note(ben, 'Invoice 4711 was paid twice')
})

afterAll(() => world.stop())

describe('a search of notes', () => {
  test('finds all words in any spelling, newest first, and marks them', async () => {
    expect(await found('invoice')).toEqual([
      'Invoice 4711 was paid twice',
      'Wants an invoice by mail',
    ])
    expect(await found('CAFE even')).toEqual(['Prefers the Café in the evening'])
    expect(await found('invoice paid')).toEqual(['Invoice 4711 was paid twice'])
    expect(await found('nothing of it')).toEqual([])
    const [hit] = (await ask({ q: '4711' })).data['items'] as Loose[]
    expect(hit).toMatchObject({
      note: { contact_id: ben, content: 'Invoice 4711 was paid twice' },
      contact: { id: ben, phone_number: personOf(1).waId },
      snippet: 'Invoice 4711 was paid twice',
      ranges: [[8, 12]],
    })
  })

  test('goes on with a cursor, and can be of one contact', async () => {
    const first = (await ask({ q: 'invoice', limit: '1' })).data
    expect(first).toMatchObject({ partial: false, items: [{ note: { contact_id: ben } }] })
    const second = await ask({ q: 'invoice', limit: '1', cursor: String(first['next_cursor']) })
    expect(second.data).toMatchObject({ items: [{ note: { contact_id: ana } }] })
    const ofAna = (await ask({ q: 'invoice', contact_id: ana })).data
    expect(ofAna).toMatchObject({ items: [{ note: { contact_id: ana } }], next_cursor: null })
    expect((await ask({ q: 'invoice', cursor: 'nonsense' })).status).toBe(400)
    expect((await ask({ q: 'i' })).status).toBe(400)
  })

  test('shows an agent only contacts that they see, and numbers as for them', async () => {
    const agent = await personWith(world, SEES_OWN)
    expect(await found('invoice', agent.client)).toEqual([])
    await admin.put(`/api/contacts/${ben}/assign`, { user_id: agent.userId })
    await admin.put('/api/organizations/settings', { mask_phone_numbers: true })
    const { items } = (await ask({ q: 'invoice' }, agent.client)).data as { items: Loose[] }
    expect(items).toMatchObject([
      { contact: { phone_number: expect.stringMatching(/^\*+\d{4}$/) } },
    ])
    await admin.put('/api/organizations/settings', { mask_phone_numbers: false })
    const reader = await personWith(world, ['contacts:read', 'contacts:read_all'])
    expect((await ask({ q: 'invoice' }, reader.client)).status).toBe(403)
    expect(await found('invoice', await world.as('admin', world.other))).toEqual([])
  })

  test('finds nothing of a deleted note, nor of an erased person', async () => {
    const id = await note(ana, 'Gone tomorrow')
    expect(await found('gone')).toHaveLength(1)
    await admin.delete(`/api/contacts/${ana}/notes/${id}`)
    expect(await found('gone')).toEqual([])
    await admin.post(`/api/contacts/${ben}/erase`, { confirm: ben })
    expect(await found('4711')).toEqual([])
    await world.settle()
    expect(world.rows('select * from notes where content like ?', '%4711%')).toEqual([])
  })
})

test('a document is found by its file name, and not after its person was erased', async () => {
  const customer = world.simulator.customer({ phone: world.tenant.phoneId, waId: '15550309977' })
  await customer.sends({ type: 'document', filename: 'Rechnung März 2026.pdf' })
  await world.settle()
  const hits = async (): Promise<Loose[]> =>
    (await admin.get('/api/messages/search?q=rechnung%20marz&type=document')).data[
      'items'
    ] as Loose[]
  const [hit, ...others] = await hits()
  expect([hit?.['snippet'], others]).toEqual(['Rechnung März 2026.pdf', []])
  const id = (hit as { contact: Loose }).contact['id']
  await admin.post(`/api/contacts/${String(id)}/erase`, { confirm: id })
  await world.settle()
  expect(await hits()).toEqual([])
})
