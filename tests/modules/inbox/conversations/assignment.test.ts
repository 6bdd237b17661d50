import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { Inbox, SEES_ALL, SEES_OWN } from '../../../support/inbox'
import { NOBODY } from '../../../support/routes'

describe('claiming a conversation', () => {
  test('assigns an unassigned conversation to the caller; the assignee may repeat it', async () => {
    await using inbox = await Inbox.create(1)
    const { world, manager } = inbox
    const path = await inbox.path(0)
    for (let nth = 0; nth < 2; nth += 1) {
      const { status, data } = await manager.post(`${path}/claim`)
      expect(status).toBe(200)
      expect(data).toMatchObject({
        assigned_to: world.tenant.userIds.manager,
        assigned_user: { id: world.tenant.userIds.manager, full_name: 'Acme manager' },
      })
    }
    expect(await inbox.of(0)).toMatchObject({ assigned_to: world.tenant.userIds.manager })
    expect((await inbox.of(0))['contact']).not.toHaveProperty('assigned_to')
  })

  test('succeeds for one of several concurrent callers and names the assignee to the others', async () => {
    await using inbox = await Inbox.create(1)
    const path = await inbox.path(0)
    const people = await Promise.all(Array.from({ length: 8 }, () => inbox.colleague(...SEES_ALL)))
    const answers = await Promise.all(people.map(({ client }) => client.post(`${path}/claim`)))
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 409)])
    const winner = people[answers.findIndex(({ status }) => status === 200)]
    for (const { body } of answers.filter(({ status }) => status === 409))
      expect(body).toMatchObject({
        code: 'already_assigned',
        message: 'This conversation is already assigned to Own Role.',
        details: { assigned_to: winner?.userId, assigned_user_name: 'Own Role' },
      })
    expect(await inbox.of(0)).toMatchObject({ assigned_to: winner?.userId })
    await Promise.all(people.map(({ socket }) => socket.close()))
  })

  test('makes the contact visible to a restricted agent before its next message', async () => {
    await using inbox = await Inbox.create(2)
    const { world, manager } = inbox
    const agent = await world.as('agent')
    const path = await inbox.path(0)
    expect((await agent.post(`${path}/claim`)).status).toBe(404)
    await manager.put(`${path}/assign`, { user_id: world.tenant.userIds.agent })
    const socket = await world.socket('agent')
    await agent.post(`${path}/release`)
    expect((await agent.get(path)).status).toBe(404)
    await inbox.says(0, 'unheard')
    await manager.put(`${path}/assign`, { user_id: world.tenant.userIds.agent })
    await inbox.says(0, 'heard')
    const heard = (await socket.caughtUp()).map(({ type, payload }) => [
      type,
      payload['visible'] ?? (payload['content'] as Loose)?.['text'],
    ])
    expect(heard.filter(([type]) => type !== 'conversation:updated')).toEqual([
      ['contact:updated', false],
      ['contact:updated', true],
      ['message:new', 'heard'],
    ])
  })

  test('requires transfers:pickup and a membership', async () => {
    await using inbox = await Inbox.create(1)
    const path = await inbox.path(0)
    const reader = await inbox.colleague(
      'contacts:read',
      'contacts:read_all',
      'messages:read',
      'messages:create',
    )
    expect((await reader.client.post(`${path}/claim`)).status).toBe(403)
    expect((await reader.client.post(`${path}/release`)).status).toBe(403)
    const superAdmin = (await inbox.world.as('super')).with({
      'x-organization-id': inbox.world.tenant.id,
    })
    expect((await superAdmin.post(`${path}/claim`)).body).toMatchObject({ code: 'not_a_member' })
    expect(await inbox.of(0)).toMatchObject({ assigned_to: null })
    await reader.socket.close()
  })
})

describe('releasing a conversation', () => {
  test('requires transfers:assign for conversations of others', async () => {
    await using inbox = await Inbox.create(1)
    const path = await inbox.path(0)
    const [owner, other] = [await inbox.colleague(...SEES_ALL), await inbox.colleague(...SEES_ALL)]
    await owner.client.post(`${path}/claim`)
    expect((await other.client.post(`${path}/release`)).body).toMatchObject({
      code: 'permission_denied',
    })
    expect(await inbox.of(0)).toMatchObject({ assigned_to: owner.userId })
    expect((await owner.client.post(`${path}/release`)).data).toMatchObject({
      assigned_to: null,
      assigned_user: null,
    })
    expect((await owner.client.post(`${path}/release`)).status).toBe(200)
    await owner.client.post(`${path}/claim`)
    expect((await inbox.manager.post(`${path}/release`)).data).toMatchObject({ assigned_to: null })
    await Promise.all([owner, other].map(({ socket }) => socket.close()))
  })

  test('answers a caller that no longer sees the conversation', async () => {
    await using inbox = await Inbox.create(1)
    const path = await inbox.path(0)
    const agent = await inbox.colleague(...SEES_OWN)
    await inbox.manager.put(`${path}/assign`, { user_id: agent.userId })
    expect((await agent.client.post(`${path}/release`)).data).toMatchObject({ assigned_to: null })
    expect((await agent.client.get(path)).status).toBe(404)
    await agent.socket.close()
  })
})

describe('assigning a conversation', () => {
  test('assigns to an active member or to nobody, and leaves the contact unchanged', async () => {
    await using inbox = await Inbox.create(1)
    const path = await inbox.path(0)
    const { agent } = inbox.world.tenant.userIds
    expect((await inbox.manager.put(`${path}/assign`, { user_id: agent })).data).toMatchObject({
      assigned_to: agent,
      team_id: null,
    })
    expect((await inbox.manager.get(await inbox.contactPath(0))).data).toMatchObject({
      assigned_to: null,
    })
    expect((await inbox.manager.put(`${path}/assign`, { user_id: null })).data).toMatchObject({
      assigned_to: null,
    })
    expect((await inbox.manager.put(`${path}/assign`, { team_id: null })).data).toMatchObject({
      assigned_to: null,
    })
  })

  test.each<[string, Loose, string, string]>([
    ['nothing', {}, 'invalid_input', 'body.user_id'],
    ['a team', { team_id: NOBODY }, 'invalid_input', 'body.team_id'],
    ['a stranger', { user_id: NOBODY }, 'not_a_member', 'body.user_id'],
    ['no id', { user_id: 'odd' }, 'invalid_input', 'body.user_id'],
  ])('%s is refused, of a conversation and of a contact', async (_, body, code, path) => {
    await using inbox = await Inbox.create(1)
    for (const at of [await inbox.path(0), await inbox.contactPath(0)]) {
      const refused = await inbox.manager.put(`${at}/assign`, body)
      expect(refused.status).toBe(400)
      expect(refused.body).toMatchObject({ code, errors: [{ path }] })
    }
  })

  test('assigning a contact also assigns and publishes its open conversations', async () => {
    await using inbox = await Inbox.create(1)
    const { world, manager } = inbox
    const second = await manager.post('/api/accounts', {
      ...{
        name: 'Second',
        phone_id: '301000000000009',
        business_id: world.tenant.wabaId,
        access_token: world.tenant.token,
      },
      verify: false,
    })
    const contactId = ((await inbox.of(0))['contact'] as Loose)['id']
    const other = (
      await manager.post('/api/conversations', {
        contact_id: contactId,
        account_id: second.data['id'],
      })
    ).data
    await manager.put(`/api/conversations/${other['id']}`, { state: 'closed' })
    await inbox.passes({ seconds: 1 })
    const socket = await world.socket('manager')
    await manager.put(`/api/contacts/${contactId}/assign`, { user_id: world.tenant.userIds.agent })
    const assigned = (await inbox.list()).map(({ state, assigned_to }) => [
      String(state),
      assigned_to,
    ])
    expect(Object.fromEntries(assigned)).toEqual({ closed: null, open: world.tenant.userIds.agent })
    const frames = await socket.caughtUp()
    expect(frames.map(({ type, payload }) => [type, payload['changed']])).toEqual([
      ['contact:updated', ['assigned_to']],
      ['conversation:updated', ['assigned_to']],
    ])
  })

  test('returns 404 for an unknown or invisible conversation', async () => {
    await using inbox = await Inbox.create(1)
    const path = await inbox.path(0)
    const blind = await inbox.colleague(
      'contacts:read',
      'messages:read',
      'messages:create',
      'transfers:pickup',
      'transfers:assign',
    )
    for (const [method, rest] of [
      ['POST', 'claim'],
      ['POST', 'release'],
      ['PUT', 'assign'],
    ] as const) {
      const body = rest === 'assign' ? { user_id: null } : undefined
      expect((await blind.client.request(method, `${path}/${rest}`, body)).status).toBe(404)
      expect(
        (await inbox.manager.request(method, `/api/conversations/${NOBODY}/${rest}`, body)).status,
      ).toBe(404)
    }
    await blind.socket.close()
  })

  test('unassigns and publishes conversations when the membership ends', async () => {
    await using inbox = await Inbox.create(2)
    const { world, manager } = inbox
    await manager.put(`${await inbox.path(0)}/assign`, { user_id: world.tenant.userIds.agent })
    await inbox.passes({ seconds: 1 })
    const socket = await world.socket('manager')
    await (
      await world.as('admin')
    ).delete(`/api/organizations/members/${world.tenant.userIds.agent}`)
    expect((await inbox.list()).map(({ assigned_to }) => assigned_to)).toEqual([null, null])
    await socket.caughtUp()
    expect(socket.events('conversation:updated').map(({ payload }) => payload)).toMatchObject([
      { assigned_to: null, changed: ['assigned_to'] },
    ])
  })
})

test('records each change of a conversation once in the audit log', async () => {
  await using inbox = await Inbox.create(1)
  const { world, manager } = inbox
  const path = await inbox.path(0)
  await manager.post(`${path}/claim`)
  await manager.post(`${path}/claim`)
  await manager.put(`${path}/assign`, { user_id: world.tenant.userIds.agent })
  await manager.post(`${path}/release`)
  await manager.post(`${path}/snooze`, {
    until: new Date(world.clock.nowMs() + 3_600_000).toISOString(),
  })
  await manager.put(path, { state: 'closed', priority: 'high' })
  await manager.put(path, { state: 'closed' })
  const entries = (
    await (await world.as('admin')).get('/api/audit-logs?resource_type=conversation')
  ).data['items'] as Loose[]
  expect(
    entries
      .toReversed()
      .map(({ action, changes }) => [
        action,
        (changes as Loose[]).map(({ field }) => field as string),
      ]),
  ).toEqual([
    ['claimed', ['assigned_to']],
    ['assigned', ['assigned_to']],
    ['released', ['assigned_to']],
    ['snoozed', ['state', 'snoozed_until']],
    ['updated', ['state', 'priority', 'snoozed_until']],
  ])
})
