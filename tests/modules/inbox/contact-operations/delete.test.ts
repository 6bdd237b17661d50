import { describe, expect, test } from 'bun:test'

import { unpackBody } from '../../../../src/platform/webhook/pack-body'
import { SAMPLES } from '../../../../src/simulator/sample-files'
import type { Loose } from '../../../support/client'
import {
  deliver,
  lineOf,
  personOf,
  secondsIn,
  statusTo,
  systemText,
  textTo,
  valueOf,
} from '../../../support/lines'
import { upload } from '../../../support/files'
import type { Fixture } from '../../../support/journey'
import { personWith } from '../../../support/people'
import { NOBODY } from '../../../support/routes'
import { envelope, reaction, combine } from '../../../../src/simulator/payloads'
import { World } from '../../../support/world'
import { changeRows } from '../../../support/sql'

const PERSON = personOf(1, 'Ana Unforgettable')

/** Creates a world with a contact that has messages, a reply, a reaction and a note. */
async function withContact(...fixtures: Fixture[]) {
  const world = await World.create()
  for (const fixture of fixtures) world.stays(fixture)
  await deliver(
    world,
    textTo(world, 'an unforgettable text', { person: PERSON, id: 'wamid.first' }),
  )
  const manager = await world.as('manager')
  const [contact] = (await manager.get('/api/contacts')).data['items'] as Loose[]
  const path = `/api/contacts/${contact?.['id']}`
  await manager.put(path, { tags: ['Tagged'], metadata: { secret: 'unforgettable' } })
  await manager.post(`${path}/notes`, { content: 'an unforgettable note' })
  await manager.post(`${path}/consents`, { state: 'opted_in', evidence: 'unforgettable evidence' })
  await manager.post(`${path}/messages`, { type: 'text', text: 'an unforgettable answer' })
  await world.settle()
  return {
    world,
    manager,
    path,
    contact: contact as Loose,
    [Symbol.asyncDispose]: () => world.stop(),
  }
}

/** Returns the inbox tables that still contain a text. */
function holds(world: World, text: string): string[] {
  const tables = [
    'contacts',
    'contact_identities',
    'contact_words',
    'contact_terms',
    'contact_consents',
    'contact_merges',
    'contacts_apart',
    'conversations',
    'messages',
    'message_words',
    'message_reactions',
    'message_revisions',
    'message_statuses',
    'notes',
    'events',
    'audit_logs',
  ]
  return tables.filter((table) =>
    JSON.stringify(world.rows(`select * from ${table}`)).includes(text),
  )
}

describe('a deleted contact', () => {
  test('disappears from all lists, and the event log keeps only the deletion', async () => {
    await using at = await withContact('the event log')
    const socket = await at.world.socket('manager')
    expect((await at.manager.delete(at.path)).status).toBe(200)
    await at.world.settle()
    expect((await socket.caughtUp()).map(({ type, payload }) => [type, payload])).toEqual([
      ['contact:deleted', { id: at.contact['id'], reason: 'deleted', merged_into: null }],
    ])
    for (const path of [at.path, `${at.path}/messages`, `${at.path}/notes`, `${at.path}/consents`])
      expect({ path, status: (await at.manager.get(path)).status }).toEqual({ path, status: 404 })
    for (const path of ['/api/contacts', '/api/contacts?search=ana', '/api/conversations'])
      expect({ path, total: (await at.manager.get(path)).data['total'] }).toEqual({
        path,
        total: 0,
      })
    const later = await at.world.socket('manager', at.world.tenant, '&since=0')
    await later.until('the end of the replay', () =>
      later.frames.some(({ type }) => type === 'resumed'),
    )
    const replayed = later
      .events()
      .filter(({ payload }) => JSON.stringify(payload).includes(String(at.contact['id'])))
    expect(replayed.map(({ type }) => type)).toEqual(['contact:deleted'])
    expect((await at.manager.delete(at.path)).status).toBe(404)
  })

  test('is reported only to its assigned agent', async () => {
    await using at = await withContact()
    await at.manager.put(`${at.path}/assign`, { user_id: at.world.tenant.userIds.agent })
    const other = await personWith(at.world, ['contacts:read', 'messages:read'])
    const agent = await at.world.socket('agent')
    await at.manager.delete(at.path)
    await at.world.settle()
    expect((await agent.caughtUp()).map(({ type }) => type)).toEqual(['contact:deleted'])
    expect((await other.client.get('/api/contacts')).data['total']).toBe(0)
  })

  test('is restored with its history when it writes again', async () => {
    await using at = await withContact()
    await at.manager.delete(at.path)
    await deliver(at.world, textTo(at.world, 'back', { person: PERSON }))
    expect((await at.manager.get(at.path)).data).toMatchObject({
      metadata: { secret: 'unforgettable' },
      tags: [{ name: 'Tagged' }],
    })
    expect((await at.manager.get(`${at.path}/messages`)).data['total']).toBe(3)
    expect((await at.manager.get(`${at.path}/notes`)).data['total']).toBe(1)
  })

  test('can be deleted only with permission and if visible', async () => {
    await using at = await withContact()
    expect((await at.manager.delete(`/api/contacts/${NOBODY}`)).status).toBe(404)
    expect((await (await at.world.as('manager', at.world.other)).delete(at.path)).status).toBe(404)
    expect((await (await at.world.as('agent')).delete(at.path)).status).toBe(403)
    expect((await at.manager.delete(`${at.path}?purge=perhaps`)).status).toBe(400)
    const entries = (
      await (await at.world.as('admin')).get('/api/audit-logs?resource_type=contact&action=deleted')
    ).data
    expect(entries['total']).toBe(0)
    await at.manager.delete(at.path)
    const after = (
      await (await at.world.as('admin')).get('/api/audit-logs?resource_type=contact&action=deleted')
    ).data
    expect(after['items']).toMatchObject([{ resource_id: at.contact['id'] }])
  })
})

test('audit log records contact changes by ID and field names', async () => {
  await using at = await withContact()
  const { manager, world, path } = at
  const { data: made } = await manager.post('/api/contacts', {
    phone_number: '+15550304711',
    name: 'Ben Secret',
    tags: ['Tagged'],
  })
  await manager.put(path, { name: 'Ana Secret', phone_number: '+15550304712' })
  await manager.put(path, { name: 'Ana Secret' })
  await manager.put(`${path}/tags`, { tags: [] })
  await manager.put(`${path}/assign`, { user_id: world.tenant.userIds.agent })
  await manager.post(`${path}/block`)
  const { merge_id } = (await manager.post(`${path}/merge`, { source_id: made['id'] })).data
  await manager.post(`/api/contacts/merges/${String(merge_id)}/undo`)
  await manager.post('/api/messages', { phone_number: '+15550304713', type: 'text', text: 'Hi' })
  await manager.delete(path)
  const entries = (
    await (await world.as('admin')).get('/api/audit-logs?resource_type=contact&limit=100')
  ).data['items'] as Loose[]
  const told = entries.map(({ action, changes }) => [
    action,
    (changes as Loose[]).map(({ field }) => field as string).toSorted(),
  ])
  expect(told.toReversed()).toEqual([
    ['updated', ['metadata', 'tags']],
    ['opted_in', ['marketing_consent']],
    ['created', []],
    ['updated', ['name', 'phone_number', 'wa_id']],
    ['updated', ['tags']],
    ['assigned', ['assigned_to']],
    ['blocked', ['blocked_at']],
    ['merged', ['source_id']],
    ['merge_undone', ['source_id']],
    ['deleted', []],
  ])
  expect(
    entries.every(
      ({ user_id, resource_name }) =>
        user_id === world.tenant.userIds.manager && resource_name === null,
    ),
  ).toBe(true)
  const [note] = (await (await world.as('admin')).get('/api/audit-logs?resource_type=note')).data[
    'items'
  ] as Loose[]
  expect(note).toMatchObject({ action: 'created', resource_name: null, changes: [] })
  expect(
    JSON.stringify(
      world.rows("select * from audit_logs where resource_type in ('contact', 'note')"),
    ),
  ).not.toMatch(/Secret|155503047|unforgettable/)
})

describe('an erased contact', () => {
  test('leaves no data behind, including the rows of contacts merged into it', async () => {
    await using at = await withContact()
    await deliver(
      at.world,
      reaction('wamid.first', '🎉', {
        person: PERSON,
        line: lineOf(at.world.tenant),
        timestamp: secondsIn(at.world),
      }),
    )
    await deliver(
      at.world,
      textTo(at.world, 'also unforgettable', { person: personOf(2, 'Unforgettable too') }),
    )
    const other = ((await at.manager.get('/api/contacts?search=too')).data['items'] as Loose[])[0]
    await at.manager.post(`${at.path}/merge`, { source_id: other?.['id'] })
    await at.world.settle()
    const socket = await at.world.socket('manager')
    expect((await at.manager.delete(`${at.path}?purge=true`)).status).toBe(200)
    expect((await at.manager.get('/api/contacts')).data['total']).toBe(0)
    await at.world.settle()
    for (const trace of [
      'nforgettable',
      String(PERSON.waId),
      String(PERSON.userId),
      String(personOf(2).waId),
      '🎉',
    ])
      expect({ trace, left: holds(at.world, trace) }).toEqual({ trace, left: [] })
    expect(
      (await socket.caughtUp()).map(({ type, payload }) => [type, payload['reason'] as unknown]),
    ).toEqual([['contact:deleted', 'erased']])
    expect(
      at.world.rows("select 1 from message_search where message_search match 'unforgettable'"),
    ).toEqual([])
    const entries = (await (await at.world.as('admin')).get('/api/audit-logs?action=erased')).data[
      'items'
    ] as Loose[]
    expect(entries).toMatchObject([{ resource_id: at.contact['id'], resource_name: null }])
  })

  test('becomes a new contact when it writes again', async () => {
    await using at = await withContact()
    await at.manager.delete(`${at.path}?purge=true`)
    await deliver(at.world, textTo(at.world, 'hello', { person: PERSON }))
    const [contact] = (await at.manager.get('/api/contacts')).data['items'] as Loose[]
    expect(contact?.['id']).not.toBe(at.contact['id'])
    expect((await at.manager.get(`/api/contacts/${contact?.['id']}/messages`)).data['total']).toBe(
      1,
    )
    await at.world.settle()
    expect((await at.manager.get('/api/contacts')).data['total']).toBe(1)
  })

  test('is erased completely if it has more messages than one batch, also with quotes between them', async () => {
    await using at = await withContact()
    const { sqlite } = at.world.program.http.db
    const columns =
      'organization_id, conversation_id, contact_id, account_id, type, content, preview, status, source, timestamp_ms, received_at_ms, created_at_ms'
    changeRows(
      sqlite,
      `insert into messages (id, ${columns}, reply_to_id)
       with recursive many(n) as (select 1 union all select n + 1 from many where n < 450)
       select unhex(printf('ffff%028x', n)), ${columns}, case when n % 3 = 0 then id end from many, (select * from messages where direction = 'incoming' limit 1)`,
    )
    await at.manager.delete(`${at.path}?purge=true`)
    await at.world.settle()
    expect(at.world.rows('select count(*) as rows from messages')).toEqual([{ rows: 0 }])
    expect(at.world.rows('select count(*) as rows from conversations')).toEqual([{ rows: 0 }])
  })
})

describe('stored webhook deliveries after an erasure', () => {
  const bodies = (world: World): string =>
    world
      .rows<{ body: Uint8Array }>('select body from inbound_bodies')
      .map(({ body }) => unpackBody(body).toString())
      .join('\n')

  test('hold none of its data, including deliveries about several people, and a replay restores nobody', async () => {
    await using at = await withContact('the journal of webhooks')
    const { world, manager, path } = at
    const ben = personOf(2, 'Ben')
    const both = combine(
      textTo(world, 'said by the one who goes', { person: PERSON }),
      textTo(world, 'said by Ben', { person: ben }),
      statusTo(world, 'wamid.of-nobody', 'read', { person: PERSON }),
    )
    // The platform can report several people in one change.
    const value = valueOf(textTo(world, 'mixed, Ben', { person: ben }))
    const other = valueOf(textTo(world, 'mixed, Ana', { person: PERSON }))
    value['messages'] = [...(value['messages'] as unknown[]), ...(other['messages'] as unknown[])]
    value['contacts'] = [...(value['contacts'] as unknown[]), ...(other['contacts'] as unknown[])]
    both.entry[0]?.changes.push({ field: 'messages', value })
    await deliver(world, both)
    const moved = {
      wa_id: PERSON.waId,
      user_id: PERSON.userId,
      category: 'marketing_messages',
      value: 'stop',
      timestamp: secondsIn(world),
    }
    await deliver(
      world,
      envelope(
        { user_preferences: [moved] },
        { line: lineOf(world.tenant), field: 'user_preferences' },
      ),
    )
    await deliver(world, systemText(world, PERSON))
    world.clock.advance({ minutes: 1 })
    expect((await manager.get('/api/contacts')).data['total']).toBe(2)
    await manager.delete(`${path}?purge=true`)
    await world.settle()
    for (const trace of [
      PERSON.waId,
      PERSON.userId,
      '15550399999',
      'Unforgettable',
      'who goes',
      'mixed, Ana',
      'unforgettable',
    ])
      expect({ trace, isThere: bodies(world).includes(String(trace)) }).toEqual({
        trace,
        isThere: false,
      })
    for (const kept of [String(ben.waId), 'said by Ben', 'mixed, Ben'])
      expect(bodies(world)).toContain(kept)
    const boss = await world.as('super')
    expect((await boss.post('/api/inbound/replay', {})).data['queued']).toBeGreaterThan(4)
    await world.settle()
    const events = (await boss.get('/api/inbound/events?limit=100')).data['items'] as Loose[]
    expect([...new Set(events.map(({ state }) => state as string))]).toEqual(['done'])
    expect(
      ((await manager.get('/api/contacts')).data['items'] as Loose[]).map(
        ({ profile_name }) => profile_name as string,
      ),
    ).toEqual(['Ben'])
    expect(holds(world, String(PERSON.waId))).toEqual([])
    // The new contact stays.
    await deliver(world, textTo(world, 'here again', { person: PERSON }))
    expect((await manager.get('/api/contacts')).data['total']).toBe(2)
    expect(bodies(world)).toContain('here again')
  })

  test('hold none of a contact that was only deleted before, and an invisible contact cannot be erased', async () => {
    await using at = await withContact()
    const { world, manager, path } = at
    await manager.delete(path)
    const stranger = await personWith(world, ['contacts:read', 'contacts:delete'])
    expect((await stranger.client.delete(`${path}?purge=true`)).status).toBe(404)
    expect((await manager.delete(`${path}?purge=true`)).status).toBe(200)
    await world.settle()
    expect([holds(world, 'nforgettable'), bodies(world).includes('nforgettable')]).toEqual([
      [],
      false,
    ])
    expect((await manager.delete(`${path}?purge=true`)).status).toBe(404)
  })
})

describe.each(['', '?purge=true'])('the files of a contact deleted with %p', (query) => {
  test('are erased with it, except files sent to others or kept in the library', async () => {
    await using at = await withContact()
    await deliver(at.world, textTo(at.world, 'me too', { person: personOf(2, 'Ben') }))
    const other = (
      (await at.manager.get('/api/contacts?search=ben')).data['items'] as Loose[]
    )[0] as Loose
    const file = async (): Promise<string> =>
      String(
        (await upload(at.manager, { bytes: SAMPLES['application/pdf'], type: 'application/pdf' }))
          .data['id'],
      )
    const [own, shared, ready] = [await file(), await file(), await file()]
    await at.manager.post('/api/canned-responses', {
      name: 'Prices',
      content: 'Here',
      media_id: ready,
    })
    for (const media_id of [own, shared, ready])
      await at.manager.post(`${at.path}/messages`, { type: 'document', media_id })
    await at.manager.post(`/api/contacts/${other['id']}/messages`, {
      type: 'document',
      media_id: shared,
    })
    await at.world.settle()
    await at.manager.delete(at.path + query)
    await at.world.settle()
    const statusOf = async (id: string): Promise<number> =>
      (await at.manager.get(`/api/media/${id}`)).status
    expect([await statusOf(own), await statusOf(shared), await statusOf(ready)]).toEqual([
      404, 200, 200,
    ])
    await at.manager.delete(`/api/contacts/${other['id']}${query}`)
    await at.world.settle()
    expect(await statusOf(shared)).toBe(404)
    expect(at.world.rows('select 1 from media where stored_as is not null')).toHaveLength(1)
  })
})
