import type { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { personOf } from '../../../support/lines'
import { type OwnRole } from '../../../support/people'
import { NOBODY } from '../../../support/routes'
import { changeRows } from '../../../support/sql'
import { Desk, pathOf } from '../../../support/transfers'

/** Transfers that are shared out; `bun run test:long` takes more. */
const SHARED = Number(process.env['TRANSFERS'] ?? 50)

/** The ID of each copy of a row. */
const COPY_ID = "unhex(printf('%032x', 1000000 + nth))"

/** Copies the first row of a table so many times; `changed` has expressions of columns by name. */
function copyFirst(
  sqlite: Database,
  table: string,
  times: number,
  changed: Record<string, string>,
): void {
  const columns = sqlite
    .query<{ name: string }, []>(`pragma table_info(${table})`)
    .all()
    .map(({ name }) => name)
  sqlite.run(`
    insert into ${table} (${columns.join()})
    with recursive numbers(nth) as (select 1 union all select nth + 1 from numbers where nth < ${times})
    select ${columns.map((name) => changed[name] ?? `first.${name}`).join()}
    from numbers, (select * from ${table} order by rowid limit 1) as first`)
}

describe('picking up', () => {
  test('takes the highest priority, then the oldest', async () => {
    await using desk = await Desk.create(3)
    const first = await desk.transfer(0)
    desk.world.clock.advance({ seconds: 1 })
    const urgent = await desk.transfer(1, { priority: 9 })
    const second = await desk.transfer(2)
    const { client } = await desk.agent()
    const picked: unknown[] = []
    for (let nth = 0; nth < 3; nth += 1) {
      const { data } = await client.post('/api/chatbot/transfers/pickup')
      picked.push((data['transfer'] as Loose)['id'])
    }
    expect(picked).toEqual([urgent['id'], first['id'], second['id']])
    expect((await client.post('/api/chatbot/transfers/pickup')).data).toEqual({
      transfer: null,
      message: 'No transfer waits.',
    })
  })

  test('of 160 concurrent callers gives 100 transfers to 100 of them', async () => {
    await using desk = await Desk.create(0)
    const { world, manager } = desk
    for (let nth = 0; nth < 100; nth += 1) {
      const { data } = await manager.post('/api/contacts', {
        phone_number: `1555200${String(nth).padStart(4, '0')}`,
      })
      await manager.post('/api/chatbot/transfers', {
        contact_id: data['id'],
        account_id: world.tenant.accountId,
      })
    }
    const agents = await Promise.all(Array.from({ length: 8 }, () => desk.agent()))
    const answers = await Promise.all(
      Array.from({ length: 160 }, (_, nth) =>
        (agents[nth % 8] as OwnRole).client.post('/api/chatbot/transfers/pickup'),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 160 }, () => 200))
    const picked = answers.flatMap(({ data }) => {
      const transfer = data['transfer'] as Loose | null
      return transfer ? [transfer['id']] : []
    })
    expect([picked.length, new Set(picked).size]).toEqual([100, 100])
    const { data } = await manager.get('/api/chatbot/transfers')
    expect([data['total'], data['general_queue_count']]).toEqual([100, 0])
  })

  test('gives one transfer to one of many callers and names the agent to the others', async () => {
    await using desk = await Desk.create()
    const transfer = await desk.transfer()
    const agents = await Promise.all(Array.from({ length: 8 }, () => desk.agent()))
    const path = await desk.inbox.path(0)
    const answers = await Promise.all(
      agents.map(({ client }, nth) =>
        client.post(nth % 2 === 0 ? pathOf(transfer, 'pickup') : `${path}/claim`),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 7 }, () => 409),
    ])
    for (const { body } of answers.filter(({ status }) => status === 409))
      expect(body).toMatchObject({
        code: 'already_assigned',
        details: { assigned_user_name: 'Own Role' },
      })
  })

  test('reaches only the general queue and the queues of own teams', async () => {
    await using desk = await Desk.create(2)
    const [agent, stranger] = [await desk.agent(), await desk.agent()]
    const team = await desk.team([agent], { assignment_strategy: 'manual' })
    const transfer = await desk.transfer(0, { team_id: team })
    const pickUp = (client: typeof agent.client, query = '') =>
      client.post(`/api/chatbot/transfers/pickup${query}`)
    expect((await pickUp(stranger.client)).data['transfer']).toBeNull()
    expect((await pickUp(stranger.client, `?team_id=${team}`)).body.code).toBe('not_in_team')
    expect((await pickUp(stranger.client, `?team_id=${NOBODY}`)).status).toBe(404)
    expect((await stranger.client.post(pathOf(transfer, 'pickup'))).status).toBe(404)
    expect((await pickUp(agent.client, '?team_id=general')).data['transfer']).toBeNull()
    expect((await pickUp(agent.client, `?team_id=${team}`)).data['transfer']).toMatchObject({
      id: transfer['id'],
      agent_id: agent.userId,
    })
  })

  test('ends at the capacity of the person and of the team', async () => {
    await using desk = await Desk.create(3)
    const agent = await desk.agent()
    const team = await desk.team([agent], {
      assignment_strategy: 'manual',
      max_active_per_agent: 1,
    })
    await desk.transfer(0, { team_id: team })
    await desk.transfer(1, { team_id: team })
    await desk.transfer(2)
    const pickUp = async (query = '') => {
      const { body } = await agent.client.post(`/api/chatbot/transfers/pickup${query}`)
      return body.code ?? ((body['data'] as Loose)['transfer'] as Loose | null)?.['team_id']
    }
    expect([await pickUp(), await pickUp(`?team_id=${team}`), await pickUp()]).toEqual([
      team,
      'at_capacity',
      null,
    ])
    await desk.settings({ agent_max_active_transfers: 2 })
    expect(await pickUp()).toBe('at_capacity')
  })

  test('is switched off by the settings', async () => {
    await using desk = await Desk.create()
    const transfer = await desk.transfer()
    await desk.settings({ allow_agent_queue_pickup: false })
    const { client, userId } = await desk.agent()
    for (const answer of [
      await client.post('/api/chatbot/transfers/pickup'),
      await client.post(pathOf(transfer, 'pickup')),
      await client.put(pathOf(transfer, 'assign'), { agent_id: userId }),
    ])
      expect([answer.status, answer.body.code]).toEqual([403, 'pickup_disabled'])
  })
})

describe('choosing an agent', () => {
  test(`in turn gives ${SHARED} transfers to five members, a fifth each`, async () => {
    await using desk = await Desk.create(0)
    const { world, manager } = desk
    const agents = await Promise.all(Array.from({ length: 5 }, () => desk.agent()))
    const team = await desk.team(agents)
    for (let nth = 0; nth < SHARED; nth += 1) {
      const { data } = await manager.post('/api/contacts', {
        phone_number: `1555300${String(nth).padStart(4, '0')}`,
      })
      await manager.post('/api/chatbot/transfers', {
        contact_id: data['id'],
        account_id: world.tenant.accountId,
        team_id: team,
      })
    }
    const counts = world.rows<{ n: number }>(
      'select count(*) as n from transfers group by agent_id order by agent_id',
    )
    expect(counts.map(({ n }) => n)).toEqual(Array(5).fill(SHARED / 5))
  }, 300_000)

  test('by load takes who has the fewest', async () => {
    await using desk = await Desk.create(4)
    const [busy, free] = [await desk.agent(), await desk.agent()]
    const team = await desk.team([busy, free], { assignment_strategy: 'load_balanced' })
    await desk.transfer(0, { agent_id: busy.userId })
    await desk.transfer(1, { agent_id: busy.userId })
    const chosen = [
      await desk.transfer(2, { team_id: team }),
      await desk.transfer(3, { team_id: team }),
    ].map((transfer) => transfer['agent_id'])
    expect(chosen).toEqual([free.userId, free.userId])
  })

  test('prefers the contact’s assignee without a team, if the settings say so', async () => {
    await using desk = await Desk.create(2)
    const owner = await desk.agent()
    for (const nth of [0, 1])
      await desk.manager.put(`${await desk.inbox.contactPath(nth)}/assign`, {
        user_id: owner.userId,
      })
    expect(await desk.transfer(0)).toMatchObject({ agent_id: owner.userId })
    await desk.settings({ assign_to_same_agent: false })
    expect(await desk.transfer(1)).toMatchObject({ agent_id: null })
  })

  test('waits for somebody who becomes eligible', async () => {
    await using desk = await Desk.create(2)
    const agent = await desk.agent()
    const team = await desk.team([agent], { max_active_per_agent: 1 })
    await agent.client.put('/api/me/availability', { is_available: false })
    const [first, second] = [
      await desk.transfer(0, { team_id: team }),
      await desk.transfer(1, { team_id: team }),
    ]
    expect([first['agent_id'], second['agent_id']]).toEqual([null, null])
    await agent.client.put('/api/me/availability', { is_available: true })
    await desk.world.settle()
    expect((await desk.of(first))['agent_id']).toBe(agent.userId)
    expect((await desk.of(second))['agent_id']).toBeNull()
    await agent.client.put(pathOf(first, 'resume'))
    await desk.world.settle()
    expect((await desk.of(second))['agent_id']).toBe(agent.userId)
  })

  test('is offered though everybody gave back the many before it', async () => {
    await using desk = await Desk.create(2)
    const { sqlite } = desk.world.program.http.db
    const agent = await desk.agent()
    const team = await desk.team([agent])
    await agent.client.put('/api/me/availability', { is_available: false })
    const first = await desk.transfer(0, { team_id: team })
    changeRows(sqlite, 'update transfers set passed_over = ?', [JSON.stringify([agent.userId])])
    for (const [table, copied] of [
      ['contacts', { row: '1000 + nth', phone_number: 'null', wa_id: 'null', user_id: 'null' }],
      ['transfers', { contact_id: COPY_ID }],
    ] as const)
      copyFirst(sqlite, table, 450, { id: COPY_ID, ...copied })
    const last = await desk.transfer(1, { team_id: team })
    await agent.client.put('/api/me/availability', { is_available: true })
    await desk.world.settle()
    expect((await desk.of(last))['agent_id']).toBe(agent.userId)
    expect((await desk.of(first))['agent_id']).toBeNull()
  })

  test('passes a transfer on whose agent does not answer in time, to each once', async () => {
    await using desk = await Desk.create()
    const agents = [await desk.agent(), await desk.agent()]
    const team = await desk.team(agents, { per_agent_timeout_secs: 60 })
    const transfer = await desk.transfer(0, { team_id: team })
    const held: unknown[] = [transfer['agent_id']]
    for (let nth = 0; nth < 3; nth += 1) {
      await desk.inbox.passes({ seconds: 75 })
      held.push((await desk.of(transfer))['agent_id'])
    }
    expect(new Set(held.slice(0, 2))).toEqual(new Set(agents.map(({ userId }) => userId)))
    expect(held.slice(2)).toEqual([null, null])
  })

  test('leaves a transfer with an agent who has answered', async () => {
    await using desk = await Desk.create()
    const agent = await desk.agent()
    const team = await desk.team([agent], { per_agent_timeout_secs: 60 })
    const transfer = await desk.transfer(0, { team_id: team })
    await agent.client.post(`${await desk.inbox.contactPath(0)}/messages`, {
      type: 'text',
      text: 'Hello',
    })
    await desk.inbox.passes({ minutes: 5 })
    expect(await desk.of(transfer)).toMatchObject({
      agent_id: agent.userId,
      first_response_at: '2026-11-21T09:31:00.000Z',
    })
  })
})

describe('giving back', () => {
  test('returns one’s own transfer to its queue, and to nobody at once', async () => {
    await using desk = await Desk.create()
    const [agent, other] = [await desk.agent(), await desk.agent()]
    const team = await desk.team([agent])
    const transfer = await desk.transfer(0, { team_id: team })
    expect(transfer['agent_id']).toBe(agent.userId)
    expect((await other.client.put(pathOf(transfer, 'assign'), { agent_id: null })).status).toBe(
      404,
    )
    const { status, data } = await agent.client.put(pathOf(transfer, 'assign'), { agent_id: null })
    expect([status, data['message']]).toEqual([200, 'The transfer waits in the queue.'])
    expect(data['transfer']).toMatchObject({ agent_id: null, team_id: team, status: 'active' })
  })

  test('happens when its agent goes away, is suspended or is removed', async () => {
    await using desk = await Desk.create(4)
    const { world } = desk
    const admin = await world.as('admin')
    const agent = await desk.agent()
    const held = (nth: number) => desk.transfer(nth, { agent_id: agent.userId })
    const [first, second] = [await held(0), await held(1)]
    const away = await agent.client.put('/api/me/availability', { is_available: false })
    expect(away.data['transfers_to_queue']).toBe(2)
    await world.settle()
    for (const transfer of [first, second])
      expect(await desk.of(transfer)).toMatchObject({
        agent_id: null,
        transferred_at: transfer['transferred_at'],
      })
    await agent.client.put('/api/me/availability', { is_available: true })
    await agent.client.post(pathOf(first, 'pickup'))
    await admin.put(`/api/users/${agent.userId}`, { is_active: false })
    expect((await desk.of(first))['agent_id']).toBeNull()
    await admin.put(`/api/users/${agent.userId}`, { is_active: true })
    await held(2)
    const removed = await admin.delete(`/api/users/${agent.userId}`)
    expect(removed.data['transfers_returned']).toBe(1)
    expect(await desk.inbox.of(2)).toMatchObject({ assigned_to: null, state: 'open' })
  })

  test('is done in parts for an agent with many, who may be back before the last', async () => {
    await using desk = await Desk.create(0)
    const { world, manager } = desk
    const agent = await desk.agent()
    for (let nth = 0; nth < 60; nth += 1) {
      const { data } = await manager.post('/api/contacts', {
        phone_number: `155520${10_000 + nth}`,
      })
      await manager.post('/api/chatbot/transfers', {
        contact_id: data['id'],
        account_id: world.tenant.accountId,
        agent_id: agent.userId,
      })
    }
    const set = (isAvailable: boolean) =>
      agent.client.put('/api/me/availability', { is_available: isAvailable })
    const active = "select count(*) as n from transfers where status = 'active' and agent_id is"
    world.clock.advance({ seconds: 1 })
    expect((await set(false)).data['transfers_to_queue']).toBe(60)
    expect(world.rows<{ n: number }>(`${active} not null`)[0]?.n).toBeGreaterThan(30)
    world.clock.advance({ seconds: 1 })
    await set(true)
    const { data } = await agent.client.post('/api/chatbot/transfers/pickup')
    await world.settle()
    expect(world.rows(`${active} null`)).toEqual([{ n: 59 }])
    expect(await desk.of(data['transfer'] as Loose)).toMatchObject({ agent_id: agent.userId })
  })

  test('moves to the general queue when the team is closed', async () => {
    await using desk = await Desk.create(4)
    const admin = await desk.world.as('admin')
    const agentId = desk.world.tenant.userIds.agent
    const [inactive, deleted] = [
      await desk.team([], { assignment_strategy: 'manual' }),
      await desk.team([], { assignment_strategy: 'manual' }),
    ]
    const waiting = await desk.transfer(0, { team_id: inactive })
    const held = await desk.transfer(1, { team_id: inactive, agent_id: agentId })
    const waitingToo = await desk.transfer(2, { team_id: deleted })
    const heldToo = await desk.transfer(3, { team_id: deleted, agent_id: agentId })
    await admin.put(`/api/teams/${inactive}`, { is_active: false })
    await admin.delete(`/api/teams/${deleted}`)
    await desk.world.settle()
    const places = []
    for (const transfer of [waiting, held, waitingToo, heldToo]) {
      const { agent_id, team_id } = await desk.of(transfer)
      places.push([agent_id, team_id])
    }
    expect(places).toEqual([
      [null, null],
      [agentId, inactive],
      [null, null],
      [agentId, null],
    ])
    expect(await desk.inbox.of(2)).toMatchObject({ team_id: null })
  })
})

describe('assigning', () => {
  test('to others and to other teams requires transfers:assign', async () => {
    await using desk = await Desk.create()
    const [agent, other] = [await desk.agent(), await desk.agent()]
    const team = await desk.team()
    const transfer = await desk.transfer(0, { agent_id: agent.userId })
    for (const body of [
      { agent_id: other.userId },
      { team_id: team },
      { agent_id: null, team_id: team },
    ]) {
      const answer = await agent.client.put(pathOf(transfer, 'assign'), body)
      expect([answer.status, answer.body.code]).toEqual([403, 'permission_denied'])
    }
    const supervisor = await desk.supervisor()
    const answer = await supervisor.client.put(pathOf(transfer, 'assign'), {
      agent_id: other.userId,
      team_id: team,
    })
    expect(answer.data['transfer']).toMatchObject({ agent_id: other.userId, team_id: team })
    const { data } = await other.client.get('/api/me/notifications')
    expect(data['items']).toMatchObject([
      { kind: 'assigned', body: 'Own Role assigned it to you.' },
    ])
  })

  test('rejects strangers and people who are away', async () => {
    await using desk = await Desk.create()
    const agent = await desk.agent()
    const transfer = await desk.transfer()
    const assign = async (body: Loose) =>
      (await desk.manager.put(pathOf(transfer, 'assign'), body)).body.code
    expect(await assign({ agent_id: NOBODY })).toBe('not_a_member')
    await agent.client.put('/api/me/availability', { is_available: false })
    expect(await assign({ agent_id: agent.userId })).toBe('agent_unavailable')
    expect(await assign({ team_id: NOBODY })).toBe('invalid_input')
    expect(await assign({ other: 1 })).toBe('invalid_input')
  })

  test('editing, ending and resuming are for its agent and supervisors', async () => {
    await using desk = await Desk.create()
    const [agent, mate] = [await desk.agent(), await desk.agent()]
    await desk.manager.put(`${await desk.inbox.contactPath(0)}/assign`, { user_id: mate.userId })
    const transfer = await desk.transfer(0, { agent_id: agent.userId })
    expect((await mate.client.put(pathOf(transfer, 'resume'))).status).toBe(404)
    const edited = await agent.client.put(pathOf(transfer), { notes: 'New', priority: 4 })
    expect(edited.data).toMatchObject({ notes: 'New', priority: 4 })
    await desk.manager.put(pathOf(transfer, 'assign'), { agent_id: null })
    for (const answer of [
      await agent.client.put(pathOf(transfer), { priority: 1 }),
      await agent.client.put(pathOf(transfer, 'resume')),
    ])
      expect([answer.status, answer.body.code]).toEqual([403, 'permission_denied'])
    expect((await desk.manager.put(pathOf(transfer), {})).status).toBe(400)
  })
})

describe('the list', () => {
  test('shows active transfers by age, then ended ones, with the lengths of the queues', async () => {
    await using desk = await Desk.create(5)
    const { manager, world } = desk
    const team = await desk.team([], { assignment_strategy: 'manual' })
    const made: Loose[] = []
    for (let nth = 0; nth < 5; nth += 1) {
      made.push(await desk.transfer(nth, nth < 2 ? { team_id: team } : {}))
      world.clock.advance({ seconds: 1 })
    }
    const ids = made.map(({ id }) => id)
    for (const nth of [1, 3]) {
      await manager.put(pathOf(made[nth] as Loose, 'resume'))
      world.clock.advance({ seconds: 1 })
    }
    const idsIn = (data: Loose) => (data['transfers'] as Loose[]).map(({ id }) => id)
    const { data } = await manager.get('/api/chatbot/transfers')
    expect(idsIn(data)).toEqual([ids[0], ids[2], ids[4], ids[3], ids[1]])
    expect(data).toMatchObject({
      total: 5,
      page: 1,
      total_pages: 1,
      general_queue_count: 2,
      team_queue_counts: { [team]: 1 },
    })
    const first = (await manager.get('/api/chatbot/transfers?limit=2')).data
    const rest = (await manager.get(`/api/chatbot/transfers?cursor=${first['next_cursor']}`)).data
    expect([...idsIn(first), ...idsIn(rest)]).toEqual(idsIn(data))
    for (const [query, expected] of [
      ['status=active', [0, 2, 4]],
      ['status=resumed', [3, 1]],
      [`team_id=${team}`, [0, 1]],
      ['team_id=general&status=active', [2, 4]],
      [`contact_id=${made[2]?.['contact_id']}`, [2]],
      ['agent_id=me', []],
      ['agent_id=none&status=active', [0, 2, 4]],
      ['sla=breached', []],
    ] as const)
      expect(idsIn((await manager.get(`/api/chatbot/transfers?${query}`)).data)).toEqual(
        expected.map((nth) => ids[nth]),
      )
    for (const query of ['status=open', 'team_id=x', 'sla=late', 'limit=101', 'cursor=x'])
      expect((await manager.get(`/api/chatbot/transfers?${query}`)).status).toBe(400)
  })

  test('shows an agent own transfers also when they have ended', async () => {
    await using desk = await Desk.create(2)
    const [agent, other] = [await desk.agent(), await desk.agent()]
    const mine = await desk.transfer(0, { agent_id: agent.userId })
    const others = await desk.transfer(1, { agent_id: other.userId })
    for (const transfer of [mine, others]) await desk.manager.put(pathOf(transfer, 'resume'))
    for (const query of ['', '?status=resumed', '?agent_id=me']) {
      const { data } = await agent.client.get(`/api/chatbot/transfers${query}`)
      expect((data['transfers'] as Loose[]).map(({ id }) => id)).toEqual([mine['id']])
    }
    expect((await agent.client.get(pathOf(mine))).data).toMatchObject({ status: 'resumed' })
    expect((await agent.client.get(pathOf(others))).status).toBe(404)
    expect((await agent.client.get(`/api/contacts/${mine['contact_id']}`)).status).toBe(404)
  })

  test('shows an agent only own transfers and own queues, with masked numbers', async () => {
    await using desk = await Desk.create(4)
    const agent = await desk.agent()
    const [own, strange] = [
      await desk.team([agent], { assignment_strategy: 'manual' }),
      await desk.team([], { assignment_strategy: 'manual' }),
    ]
    const mine = await desk.transfer(0, { agent_id: agent.userId })
    const ofTeam = await desk.transfer(1, { team_id: own })
    const hidden = await desk.transfer(2, { team_id: strange })
    const general = await desk.transfer(3)
    const admin = await desk.world.as('admin')
    await admin.put('/api/organizations/settings', { mask_phone_numbers: true })
    const { data } = await agent.client.get('/api/chatbot/transfers')
    const shown = data['transfers'] as Loose[]
    expect(shown.map(({ id }) => id)).toEqual([mine['id'], ofTeam['id'], general['id']])
    expect(data).toMatchObject({ general_queue_count: 1, team_queue_counts: { [own]: 1 } })
    for (const { phone_number } of shown) expect(phone_number).toMatch(/^\*+\d{4}$/)
    expect(JSON.stringify(data)).not.toContain(personOf(0).waId)
    expect((await agent.client.get(pathOf(hidden))).status).toBe(404)
  })
})
