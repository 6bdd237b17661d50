import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { systemCtx } from '../../../../src/infra/ctx'
import { transact } from '../../../../src/infra/db/transact'
import { emit } from '../../../../src/infra/outbox/events'
import { MessageReacted, MessageUpdated } from '../../../../src/modules/inbox/messages/events'
import { fitted } from '../../../../src/modules/delivery/realtime/frames/truncate'
import type { Loose } from '../../../support/client'
import type { Frame, TestSocket } from '../../../support/socket'
import { World } from '../../../support/world'
import { changeRows } from '../../../support/sql'

let world: World

beforeEach(async () => {
  world = await World.create()
})
afterEach(() => world.stop())

const only = async (socket: TestSocket, type: string): Promise<Frame> => {
  await socket.caughtUp()
  const found = socket.events(type)
  expect(found).toHaveLength(1)
  return found[0] as Frame
}
const messageId = (): string => world.rows<{ id: string }>('select id from messages')[0]?.id ?? ''
const happen = (
  work: (
    tx: Parameters<Parameters<typeof transact>[1]>[0],
    ctx: ReturnType<typeof systemCtx>,
  ) => void,
): void => {
  const ctx = systemCtx(world.program.http, world.tenant.id)
  transact(ctx.db, (tx) => {
    work(tx, ctx)
  })
}

describe('message frames', () => {
  test('message:updated has the new content', async () => {
    const contact = await world.contactOf()
    const socket = await world.socket('manager')
    const contactId = String(contact['id'])
    happen((tx, ctx) =>
      emit(tx, ctx, MessageUpdated, {
        contactId,
        payload: { messageId: messageId(), contactId, changed: ['content', 'edited_at'] },
      }),
    )
    expect((await only(socket, 'message:updated')).payload).toEqual({
      id: messageId(),
      contact_id: contactId,
      changed: ['content', 'edited_at'],
      type: 'text',
      content: { text: 'Hello!' },
      media: null,
      edited_at: null,
      revoked_at: null,
    })
  })

  test('message:reaction has the author, the change and all reactions', async () => {
    const contactId = String((await world.contactOf())['id'])
    const socket = await world.socket('manager')
    const payload = {
      messageId: messageId(),
      contactId,
      by: 'contact' as const,
      userId: null,
      emoji: '👍',
    }
    happen((tx, ctx) => emit(tx, ctx, MessageReacted, { contactId, payload }))
    const reaction = {
      message_id: messageId(),
      contact_id: contactId,
      by: 'contact',
      user_id: null,
      emoji: '👍',
      reactions: [],
    }
    expect((await only(socket, 'message:reaction')).payload).toEqual(reaction)
  })
})

describe('note frames', () => {
  test('note:new, note:updated and note:deleted reach callers who see the contact', async () => {
    const contactId = String((await world.contactOf())['id'])
    const manager = await world.as('manager')
    const [socket, agent] = [await world.socket('manager'), await world.socket('agent')]
    const written = await manager.post(`/api/contacts/${contactId}/notes`, { content: 'Call back' })
    const note = `/api/contacts/${contactId}/notes/${written.data['id']}`
    await manager.put(note, { content: 'Call back today' })
    await manager.delete(note)
    await socket.caughtUp()
    const frames = socket.events().filter(({ type }) => type.startsWith('note:'))
    expect(frames.map(({ type }) => type)).toEqual(['note:deleted'])
    expect(frames[0]?.payload).toEqual({ id: written.data['id'], contact_id: contactId })
    const again = await manager.post(`/api/contacts/${contactId}/notes`, { content: 'Call back' })
    expect((await only(socket, 'note:new')).payload).toEqual({
      id: again.data['id'],
      contact_id: contactId,
      content: 'Call back',
      author: { id: world.tenant.userIds.manager, name: 'Acme manager' },
      created_at: again.data['created_at'],
      updated_at: again.data['updated_at'],
    })
    await manager.put(`/api/contacts/${contactId}/notes/${again.data['id']}`, {
      content: 'Tomorrow',
    })
    expect((await only(socket, 'note:updated')).payload).toMatchObject({ content: 'Tomorrow' })
    expect(await agent.caughtUp()).toEqual([])
  })
})

describe('a contact:deleted frame', () => {
  test('is all that remains of a contact, live and in a replay, for callers who saw it', async () => {
    const contactId = String((await world.contactOf(world.tenant, 'a secret'))['id'])
    const admin = await world.as('admin')
    await admin.put(`/api/contacts/${contactId}/assign`, { user_id: world.tenant.userIds.agent })
    const [manager, agent] = [await world.socket('manager'), await world.socket('agent')]
    await admin.delete(`/api/contacts/${contactId}`)
    for (const socket of [manager, agent])
      expect((await only(socket, 'contact:deleted')).payload).toEqual({
        id: contactId,
        reason: 'deleted',
        merged_into: null,
      })
    for (const person of ['manager', 'agent'] as const) {
      const replayed = await world.socket(person, world.tenant, '&since=0')
      await replayed.caughtUp()
      const about = replayed
        .events()
        .filter(({ payload }) => JSON.stringify(payload).includes(contactId))
      expect(about.map(({ type, payload }) => [type, payload['id']])).toEqual([
        ['contact:deleted', contactId],
      ])
      expect(JSON.stringify(replayed.frames)).not.toContain('a secret')
    }
    const stranger = await world.socket('admin', world.other, '&since=0')
    expect(JSON.stringify(await stranger.caughtUp())).not.toContain(contactId)
  })
})

describe('an account:updated frame', () => {
  test.each([
    ['is valid without an end', null, 'active', 'valid'],
    ['is valid for more than a week', 8 * 86_400_000, 'active', 'valid'],
    ['expires within a week', 6 * 86_400_000, 'active', 'expiring'],
    ['has expired', -1, 'active', 'invalid'],
    ['was refused', null, 'disconnected', 'invalid'],
  ])('reports when the token %s', async (_, inMs, status, expected) => {
    changeRows(
      world.program.http.db.sqlite,
      'update accounts set token_expires_at_ms = ?, status = ?',
      [inMs === null ? null : world.clock.nowMs() + inMs, status],
    )
    const socket = await world.socket('manager')
    await (
      await world.as('admin')
    ).put(`/api/accounts/${world.tenant.accountId}`, { name: 'Front desk' })
    expect((await only(socket, 'account:updated')).payload).toMatchObject({ token_state: expected })
  })
})

describe('a payload is at most 8 KiB', () => {
  const sizeOf = (frame: Frame): number => Buffer.byteLength(JSON.stringify(frame.payload))

  test('for a note of maximum length', async () => {
    const contactId = String((await world.contactOf())['id'])
    const socket = await world.socket('manager')
    await (
      await world.as('manager')
    ).post(`/api/contacts/${contactId}/notes`, { content: '🍕'.repeat(2_048) })
    const frame = await only(socket, 'note:new')
    expect([sizeOf(frame) <= 8_192, frame.payload['truncated']]).toEqual([true, true])
    expect(frame.payload['content']).toMatch(/^(🍕){1500,2047}$/u)
  })

  test('for a message with many items, whose IDs stay', async () => {
    const contactId = String((await world.contactOf())['id'])
    const content = JSON.stringify({
      contacts: Array.from({ length: 257 }, (_, nth) => ({
        name: { formatted_name: `Person ${nth}` },
      })),
    })
    changeRows(
      world.program.http.db.sqlite,
      "update messages set type = 'contacts', content = ?, preview = 'People'",
      [content],
    )
    const socket = await world.socket('manager')
    happen((tx, ctx) =>
      emit(tx, ctx, MessageUpdated, {
        contactId,
        payload: { messageId: messageId(), contactId, changed: ['content'] },
      }),
    )
    const frame = await only(socket, 'message:updated')
    expect([sizeOf(frame) <= 8_192, frame.payload['truncated']]).toEqual([true, true])
    expect(frame.payload).toMatchObject({
      id: messageId(),
      contact_id: contactId,
      type: 'contacts',
      content: {},
    })
  })

  test('for a message with a thousand long items, at the cost of reading it once', () => {
    const payload = (texts: number) => ({
      id: 'x',
      content: { parts: Array.from({ length: texts }, () => ({ text: 'x'.repeat(200) })) },
    })
    const fastest = (texts: number): number => {
      const told = payload(texts)
      return Math.min(
        ...Array.from({ length: 3 }, () => {
          const startedMs = performance.now()
          expect(sizeOf({ payload: fitted(told) } as unknown as Frame)).toBeLessThanOrEqual(8_192)
          return performance.now() - startedMs
        }),
      )
    }
    // Eight times as much costs eight times as much, more on a busy machine; looking at all of it
    // once per part would cost 64 times.
    expect(fastest(4_000) / fastest(500)).toBeLessThan(24)
  })

  test('for a contact with long metadata', async () => {
    const contactId = String((await world.contactOf())['id'])
    const socket = await world.socket('manager')
    const metadata = Object.fromEntries(
      Array.from({ length: 15 }, (_, nth) => [`key${nth}`, 'x'.repeat(1_000)]),
    )
    await (await world.as('manager')).put(`/api/contacts/${contactId}`, { metadata })
    const frame = await only(socket, 'contact:updated')
    expect([sizeOf(frame) <= 8_192, frame.payload['truncated']]).toEqual([true, true])
    expect(frame.payload).toMatchObject({
      id: contactId,
      metadata: {},
      changed: ['metadata'],
      visible: true,
    } as Loose)
  })

  test('for a text with many escape sequences', async () => {
    const socket = await world.socket('manager')
    await world.contactOf(world.tenant, '"\\\n'.repeat(1_365))
    const frame = await only(socket, 'message:new')
    expect(sizeOf(frame)).toBeLessThanOrEqual(8_192)
    expect(frame.payload['truncated']).toBe(sizeOf(frame) > 8_000 ? true : undefined)
  })
})
