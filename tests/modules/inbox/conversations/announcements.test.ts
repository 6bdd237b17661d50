import { describe, expect, test } from 'bun:test'

import { edit, revoke } from '../../../../src/simulator/payloads'
import type { Loose } from '../../../support/client'
import { Inbox, SEES_ALL } from '../../../support/inbox'
import { deliver, lineOf, personOf, secondsIn } from '../../../support/lines'
import type { Frame, TestSocket } from '../../../support/socket'

const told = async (socket: TestSocket): Promise<Frame[]> => {
  await socket.caughtUp()
  return socket.events('conversation:updated')
}

describe('conversation:updated', () => {
  test('carries the conversation and the changed fields', async () => {
    await using inbox = await Inbox.create(1)
    await inbox.says(0, 'A question')
    await inbox.passes({ seconds: 5 })
    const socket = await inbox.world.socket('manager')
    await inbox.manager.put(await inbox.path(0), { state: 'pending' })
    const [frame, ...others] = await told(socket)
    expect(others).toEqual([])
    const listed = await inbox.of(0)
    expect(frame?.payload).toEqual({
      id: listed['id'],
      contact_id: (await inbox.contactPath(0)).split('/').at(-1),
      account_id: inbox.world.tenant.accountId,
      state: 'pending',
      assigned_to: null,
      team_id: null,
      unread_count: 2,
      last_message_at: '2026-11-21T09:31:00.000Z',
      last_message_preview: 'A question',
      window_expires_at: '2026-11-22T09:31:00.000Z',
      snoozed_until: null,
      thread_owner: 'us',
      owner_since: null,
      owner_role: null,
      waiting_since: '2026-11-21T09:30:00.000Z',
      changed: ['state'],
      contact: listed['contact'],
      assigned_user: null,
      team: null,
      priority: 'normal',
      bot_active: false,
      bot_waits_until: null,
      last_message: listed['last_message'],
      transfer: null,
      can_take: false,
      can_call: true,
    })
    expect(frame?.payload['last_message']).toMatchObject({
      direction: 'incoming',
      error_code: null,
    })
  })

  test('shows why the last message failed', async () => {
    await using inbox = await Inbox.create(1)
    inbox.world.simulator.fail({ code: 131_026 })
    const path = await inbox.path(0)
    await inbox.manager.post(`${path}/messages`, { type: 'text', text: 'An answer' })
    await inbox.passes({ seconds: 5 })
    const socket = await inbox.world.socket('manager')
    await inbox.manager.put(path, { priority: 'high' })
    const [frame] = await told(socket)
    const { error_code: code } = (await inbox.of(0))['last_message'] as Loose
    expect(code).toBe('recipient_unreachable')
    expect(frame?.payload).toMatchObject({ last_message: { status: 'failed', error_code: code } })
  })

  test('masks the number of the contact for callers who must not see it', async () => {
    await using inbox = await Inbox.create(1)
    const admin = await inbox.world.as('admin')
    await admin.put('/api/organizations/settings', { mask_phone_numbers: true })
    const { socket } = await inbox.colleague(...SEES_ALL)
    const clear = await inbox.world.socket('admin')
    await inbox.manager.put(await inbox.path(0), { priority: 'high' })
    const [masked] = await told(socket)
    const [full] = await told(clear)
    const numberIn = (frame: Frame | undefined): unknown =>
      ((frame?.payload['contact'] ?? {}) as Loose)['phone_number']
    expect(numberIn(masked)).toMatch(/^\*+\d{4}$/)
    expect(numberIn(full)).toMatch(/^\d+$/)
  })

  test('keeps the contact when its tags are larger than a frame', async () => {
    await using inbox = await Inbox.create(1)
    const admin = await inbox.world.as('admin')
    const tags = Array.from({ length: 50 }, (_, nth) => `${nth} ${'字'.repeat(45)}`)
    await admin.put(`${await inbox.contactPath(0)}/tags`, { tags })
    const socket = await inbox.world.socket('manager')
    await inbox.manager.put(await inbox.path(0), { priority: 'high' })
    const [frame] = await told(socket)
    const contact = frame?.payload['contact'] as Loose
    expect(frame?.payload['truncated']).toBe(true)
    expect(contact['display_name']).toBe((await inbox.of(0))['contact']['display_name'])
    expect((contact['tags'] as Loose[]).length).toBeGreaterThan(5)
  })

  test('is sent at most once a second, and the last one carries all changes', async () => {
    await using inbox = await Inbox.create(1)
    const path = await inbox.path(0)
    const socket = await inbox.world.socket('manager')
    await inbox.manager.put(path, { priority: 'high' })
    for (const state of ['closed', 'open', 'closed', 'open', 'pending'])
      await inbox.manager.put(path, { state })
    await inbox.manager.post(`${path}/claim`)
    expect((await told(socket)).map(({ payload }) => payload['changed'])).toEqual([['priority']])
    await inbox.passes({ ms: 999 })
    expect(await told(socket)).toHaveLength(1)
    await inbox.passes({ ms: 1 })
    const frames = await told(socket)
    expect(frames).toHaveLength(2)
    expect(frames[1]?.payload).toMatchObject({
      state: 'pending',
      assigned_to: inbox.world.tenant.userIds.manager,
      changed: ['state', 'assigned_to'],
    })
    await inbox.passes({ seconds: 5 })
    expect(await told(socket)).toHaveLength(2)
  })

  test('delays nothing further when the job runs late', async () => {
    await using inbox = await Inbox.create(1)
    const path = await inbox.path(0)
    const socket = await inbox.world.socket('manager')
    await inbox.manager.put(path, { state: 'pending' })
    await inbox.manager.put(path, { priority: 'high' })
    inbox.world.clock.advance({ seconds: 1 })
    await inbox.manager.put(path, { state: 'closed' })
    expect(
      (await told(socket)).map(({ payload }) => [payload['state'], payload['changed']]),
    ).toEqual([
      ['closed', ['state']],
      ['closed', ['priority', 'state']],
    ])
    await inbox.passes({ seconds: 5 })
    expect(await told(socket)).toHaveLength(2)
  })

  test('is sent for every message, so that a list built from events stays right', async () => {
    await using inbox = await Inbox.create(2)
    const path = await inbox.path(0)
    await inbox.manager.put(path, { state: 'closed' })
    await inbox.passes({ seconds: 5 })
    const socket = await inbox.world.socket('manager')
    await inbox.says(0, 'One more question')
    const [received, ...others] = await told(socket)
    expect(others).toEqual([])
    expect(received?.payload).toMatchObject({
      state: 'open',
      unread_count: 2,
      last_message_preview: 'One more question',
      last_message: (await inbox.of(0))['last_message'],
      changed: [
        'state',
        'unread_count',
        'last_message_at',
        'last_message_preview',
        'window_expires_at',
      ],
    })
    await inbox.passes({ seconds: 5 })
    await inbox.manager.post(`${path}/messages`, { type: 'text', text: 'An answer' })
    const [, sent] = await told(socket)
    expect(sent?.payload).toMatchObject({
      last_message: { preview: 'An answer', direction: 'outgoing' },
      changed: ['last_message_at', 'last_message_preview'],
    })
    await inbox.passes({ seconds: 5 })
    expect(await told(socket)).toHaveLength(2)
    const own = socket.events('message:new').map(({ payload }) => payload['conversation'])
    expect(own).toMatchObject([
      { state: 'open', unread_count: 2 },
      { state: 'open', unread_count: 2 },
    ])
  })

  test('is sent when the customer corrects or deletes the last message, not an earlier one', async () => {
    await using inbox = await Inbox.create(1)
    const { world } = inbox
    await inbox.says(0, 'A questoin')
    await inbox.passes({ seconds: 5 })
    const socket = await world.socket('manager')
    const wamids = world.rows<{ id: string }>(
      'select wa_message_id as id from messages order by row',
    )
    const [earlier = '', last = ''] = wamids.map(({ id }) => id)
    const about = () => ({
      ...{ line: lineOf(world.tenant), person: personOf(0), timestamp: secondsIn(world) },
    })
    for (const change of [
      () => edit(earlier, 'Something else', about()),
      () => edit(last, 'A question', about()),
      () => revoke(earlier, about()),
      () => revoke(last, about()),
    ]) {
      await deliver(world, change())
      await inbox.passes({ seconds: 5 })
    }
    const frames = await told(socket)
    expect(frames.map(({ payload }) => payload['changed'])).toEqual([
      ['last_message_preview'],
      ['last_message_preview'],
    ])
    expect(frames[0]?.payload['last_message_preview']).toBe('A question')
    expect(frames[1]?.payload['last_message_preview']).not.toContain('question')
    expect(socket.events('message:updated')).toHaveLength(4)
  })

  test('is sent once a second while many messages arrive, and the last one shows the newest', async () => {
    await using inbox = await Inbox.create(2)
    await inbox.passes({ seconds: 5 })
    const socket = await inbox.world.socket('manager')
    for (const text of ['One', 'Two', 'Three']) await inbox.says(0, text)
    await inbox.says(1, 'A neighbor')
    const shown = async (): Promise<unknown[]> =>
      (await told(socket)).map(({ payload }) => payload['last_message_preview'])
    expect(await shown()).toEqual(['One', 'A neighbor'])
    await inbox.passes({ seconds: 1 })
    expect(await shown()).toEqual(['One', 'A neighbor', 'Three'])
    expect(socket.events('conversation:updated').at(-1)?.payload['unread_count']).toBe(4)
    await inbox.passes({ seconds: 5 })
    expect(await shown()).toHaveLength(3)
  })

  test('is throttled per conversation', async () => {
    await using inbox = await Inbox.create(3)
    const socket = await inbox.world.socket('manager')
    for (const nth of [0, 1, 2])
      await inbox.manager.put(await inbox.path(nth), { state: 'pending' })
    expect(await told(socket)).toHaveLength(3)
  })

  test('is not sent for changes that lists do not show', async () => {
    await using inbox = await Inbox.create(1)
    const path = await inbox.path(0)
    const socket = await inbox.world.socket('manager')
    await inbox.manager.put(path, { state: 'open', priority: 'normal' })
    await inbox.manager.post(`${path}/release`)
    await inbox.manager.put(`${path}/assign`, { user_id: null })
    expect(await told(socket)).toEqual([])
  })

  test('is rolled back with its change when a message is rejected', async () => {
    await using inbox = await Inbox.create(1)
    const path = await inbox.path(0)
    const socket = await inbox.world.socket('manager')
    await inbox.manager.post(`${path}/messages`, { type: 'text', text: ' ' })
    await inbox.passes({ seconds: 5 })
    expect(await told(socket)).toEqual([])
  })
})
