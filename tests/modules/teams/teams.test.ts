import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../support/client'
import { World } from '../../support/world'

let world: World
let manager: Client

beforeAll(async () => {
  world = await World.create({ env: { RATE_STANDARD: '0' } })
  manager = await world.as('manager')
})

afterAll(() => world.stop())

describe('a team', () => {
  test('is created with its defaults', async () => {
    const answer = await manager.post('/api/teams', { name: '  Support ' })
    expect([answer.status, answer.data['team']]).toEqual([
      201,
      {
        id: expect.any(String),
        name: 'Support',
        description: null,
        assignment_strategy: 'round_robin',
        is_active: true,
        per_agent_timeout_secs: 0,
        max_active_per_agent: null,
        member_count: 0,
        created_at: '2026-11-21T09:30:00.000Z',
        updated_at: '2026-11-21T09:30:00.000Z',
      },
    ])
  })

  test('keeps what it was given', async () => {
    const given = {
      name: 'Sales',
      description: 'New customers',
      assignment_strategy: 'manual',
      is_active: false,
      per_agent_timeout_secs: 3_600,
      max_active_per_agent: 1,
    }
    expect((await manager.post('/api/teams', given)).data['team']).toMatchObject(given)
  })

  test.each<[what: string, body: unknown, path: string]>([
    ['without a name', {}, 'body.name'],
    ['with a name of 101 characters', { name: 'x'.repeat(101) }, 'body.name'],
    [
      'with a description of 501 characters',
      { name: 'A', description: 'x'.repeat(501) },
      'body.description',
    ],
    [
      'with an unknown strategy',
      { name: 'A', assignment_strategy: 'lottery' },
      'body.assignment_strategy',
    ],
    [
      'with a timeout above an hour',
      { name: 'A', per_agent_timeout_secs: 3_601 },
      'body.per_agent_timeout_secs',
    ],
    [
      'with a timeout below zero',
      { name: 'A', per_agent_timeout_secs: -1 },
      'body.per_agent_timeout_secs',
    ],
    [
      'with a capacity of zero',
      { name: 'A', max_active_per_agent: 0 },
      'body.max_active_per_agent',
    ],
    ['with a flag in words', { name: 'A', is_active: 'maybe' }, 'body.is_active'],
  ])('%s is refused', async (_, body, path) => {
    const answer = await manager.post('/api/teams', body)
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, path])
  })

  test('has a unique name regardless of case', async () => {
    const answer = await manager.post('/api/teams', { name: 'SUPPORT' })
    expect([answer.status, answer.body.code]).toEqual([409, 'name_taken'])
  })

  test('is recorded in the audit log', async () => {
    const { data } = await (await world.as('admin')).get('/api/audit-logs?resource_type=team')
    const entries = (data['items'] as Loose[]).map(({ action, resource_name }) => [
      action,
      resource_name,
    ])
    expect(entries).toContainEqual(['created', 'Support'])
  })
})

describe('the list of teams', () => {
  test('is sorted by name, paged and searched', async () => {
    const { data } = await manager.get('/api/teams?limit=1')
    expect([data['total'], data['total_pages'], (data['teams'] as Loose[])[0]?.['name']]).toEqual([
      2,
      2,
      'Sales',
    ])
    const found = (await manager.get('/api/teams?search=upp')).data['teams'] as Loose[]
    expect(found.map(({ name }) => name)).toEqual(['Support'])
  })

  test('is empty for a user who is in no team', async () => {
    const { status, data } = await (await world.as('agent')).get('/api/teams')
    expect([status, data['teams'], data['total']]).toEqual([200, [], 0])
  })
})

test('an organization has at most 200 teams', async () => {
  await using own = await World.create({ isConnected: false, env: { RATE_STANDARD: '0' } })
  const admin = await own.as('admin')
  for (let number = 0; number < 200; number += 1)
    expect((await admin.post('/api/teams', { name: `Team ${number}` })).status).toBe(201)
  const answer = await admin.post('/api/teams', { name: 'One more' })
  expect([answer.status, answer.body.code]).toEqual([400, 'too_many_teams'])
})
