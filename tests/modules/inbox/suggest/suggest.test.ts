import { describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { Inbox, SEES_ALL, SEES_OWN } from '../../../support/inbox'
import { deliver, personOf, textTo } from '../../../support/lines'
import { secondNumber } from '../../../support/second-number'

/** Returns the names of the suggested contacts and of the customers of suggested conversations. */
async function suggested(client: Client, q: string): Promise<[unknown[], unknown[]]> {
  const { data, status } = await client.get(`/api/suggest?q=${encodeURIComponent(q)}`)
  expect(status).toBe(200)
  const { contacts, conversations } = data as { contacts: Loose[]; conversations: Loose[] }
  return [
    contacts.map(({ display_name: name }) => name),
    conversations.map(({ contact }) => (contact as Loose)['display_name']),
  ]
}

const nameThem = async (inbox: Inbox, names: string[]): Promise<void> => {
  for (const [nth, name] of names.entries())
    await inbox.manager.put(await inbox.contactPath(nth), { name })
}

describe('suggestions', () => {
  test('are contacts and conversations by name or number, the newest message first', async () => {
    await using inbox = await Inbox.create(3)
    await nameThem(inbox, ['Zoë Sol', 'Ana Luna', 'Zoe Estrella'])
    const both = ['Zoe Estrella', 'Zoë Sol']
    expect(await suggested(inbox.manager, 'zo')).toEqual([both, both])
    expect(await suggested(inbox.manager, '15550300001')).toEqual([['Ana Luna'], ['Ana Luna']])
    expect(await suggested(inbox.manager, 'nobody')).toEqual([[], []])
    const { data } = await inbox.manager.get('/api/suggest?q=ana')
    const { id, contact, account_id, state, last_message } = await inbox.of(1)
    const { display_name, phone_number, avatar_url } = contact as Loose
    expect(data).toEqual({
      contacts: [{ id: (contact as Loose)['id'], display_name, phone_number, avatar_url }],
      conversations: [{ id, contact, account_id, state, last_message }],
    })
  })

  test('are eight at most: half of each kind, and what the other kind leaves free', async () => {
    await using inbox = await Inbox.create(6)
    const names = ['Sol 0', 'Sol 1', 'Sol 2', 'Sol 3', 'Sol 4', 'Sol 5']
    await nameThem(inbox, names)
    const newest = names.toReversed()
    const four = newest.slice(0, 4)
    expect(await suggested(inbox.manager, 'sol')).toEqual([four, four])
    const others = await inbox.manager.post('/api/contacts', {
      phone_number: '+1 555 030 9999',
      name: 'Solana',
    })
    expect(others.status).toBe(201)
    expect(await suggested(inbox.manager, 'sola')).toEqual([['Solana'], []])
    // One customer with conversations on two numbers leaves places free.
    const second = await secondNumber(inbox.world)
    await deliver(
      inbox.world,
      textTo(inbox.world, 'Here too', { person: personOf(0), line: second }),
    )
    expect(await suggested(inbox.manager, '15550300000')).toEqual([['Sol 0'], ['Sol 0', 'Sol 0']])
  })

  test('are only what the caller sees and may read', async () => {
    await using inbox = await Inbox.create(2)
    await nameThem(inbox, ['Ana Sol', 'Ana Luna'])
    const own = await inbox.colleague(...SEES_OWN)
    expect(await suggested(own.client, 'ana')).toEqual([[], []])
    await inbox.manager.put(`${await inbox.contactPath(0)}/assign`, { user_id: own.userId })
    expect(await suggested(own.client, 'ana')).toEqual([['Ana Sol'], ['Ana Sol']])
    const clerk = await inbox.colleague('contacts:read', 'contacts:read_all')
    expect(await suggested(clerk.client, 'sol')).toEqual([['Ana Sol'], []])
    const other = await inbox.colleague('messages:read')
    expect((await other.client.get('/api/suggest?q=ana')).status).toBe(403)
    const stranger = await inbox.world.as('admin', inbox.world.other)
    expect(await suggested(stranger, 'ana')).toEqual([[], []])
  })

  test('mask numbers as for the caller, who then finds nobody by a whole number', async () => {
    await using inbox = await Inbox.create(1)
    const admin = await inbox.world.as('admin')
    await admin.put('/api/organizations/settings', { mask_phone_numbers: true })
    const { client } = await inbox.colleague(...SEES_ALL)
    const { data } = await client.get('/api/suggest?q=0000')
    expect(data).toMatchObject({ contacts: [{}], conversations: [{}] })
    const number = '15550300000'
    expect(JSON.stringify(data)).not.toContain(number)
    expect(await suggested(client, number)).toEqual([[], []])
  })

  test('need two letters and take a hundred', async () => {
    await using inbox = await Inbox.create()
    const status = async (q: string): Promise<number> =>
      (await inbox.manager.get(`/api/suggest?q=${q}`)).status
    expect(await status('a')).toBe(400)
    expect(await status('a'.repeat(101))).toBe(400)
    expect((await inbox.manager.get('/api/suggest')).status).toBe(400)
    expect(await status('a'.repeat(100))).toBe(200)
  })

  test('have a rate limit of their own', async () => {
    await using inbox = await Inbox.create(0, { env: { RATE_STANDARD: '20' } })
    const { client } = await inbox.colleague(...SEES_ALL)
    const remaining = async (path: string): Promise<number> =>
      Number((await client.get(path)).headers.get('x-ratelimit-remaining'))
    const before = await remaining('/api/me')
    for (let nth = 19; nth >= 0; nth -= 1) expect(await remaining('/api/suggest?q=an')).toBe(nth)
    expect((await client.get('/api/suggest?q=an')).status).toBe(429)
    expect(await remaining('/api/me')).toBe(before - 1)
  })
})
