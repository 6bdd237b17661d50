import { expect, test } from 'bun:test'

import { DAY_MS } from '../../../../src/lib/clock'
import { isoTime } from '../../../../src/lib/clock'
import { maskedArgs } from '../../../../src/infra/jobs/view'
import type { Loose } from '../../../support/client'
import { World } from '../../../support/world'
import { changeRows } from '../../../support/sql'

/** Rows of background work as an outage leaves them: given up, one second after the other. */
function giveUp(
  world: World,
  count: number,
  at: { kind: string; organizationId?: string; args?: unknown },
): void {
  const { db, clock, ids } = world.program.http
  for (let nth = 0; nth < count; nth += 1)
    changeRows(
      db.sqlite,
      `insert into jobs (id, kind, queue, state, organization_id, args, attempt, max_attempts, scheduled_at_ms, created_at_ms, attempted_at_ms, finished_at_ms, errors)
       values (?, ?, 'default', 'discarded', ?, ?, 20, 20, 0, 0, 1, ?, '[{"attempt":20,"at_ms":1,"message":"the host was down"}]')`,
      [
        ids.next(),
        at.kind,
        at.organizationId ?? world.tenant.id,
        JSON.stringify(at.args ?? {}),
        clock.nowMs() + nth * 1_000,
      ],
    )
}

/** The counts of a list in which there is nothing. */
const NO_JOBS = {
  available: 0,
  executing: 0,
  retryable: 0,
  scheduled: 0,
  completed: 0,
  cancelled: 0,
  discarded: 0,
}

test('jobs are filtered by state, kind and time, counted, shown without secrets, and retried one by one or together', async () => {
  await using world = await World.create()
  world.stays('jobs')
  await world.settle()
  const admin = await world.as('admin')
  const startMs = world.clock.nowMs()
  giveUp(world, 250, {
    kind: 'made.up',
    args: {
      contactId: '01900000-0000-7000-8000-000000000001',
      phone: '+34600123456',
      app_secret: 'abc',
      list: ['34600123456'],
    },
  })
  giveUp(world, 3, { kind: 'other.kind' })
  giveUp(world, 5, { kind: 'made.up', organizationId: world.other.id })

  const page = (await admin.get('/api/jobs?state=discarded&kind=made.up&limit=2')).data
  expect(page).toMatchObject({ total: 250, counts: { ...NO_JOBS, discarded: 250 } })
  expect((await admin.get('/api/jobs?kind=nothing')).data['counts']).toEqual(NO_JOBS)
  const [newest] = page['items'] as Loose[]
  expect((await admin.get(`/api/jobs/${newest?.['id']}`)).data).toMatchObject({
    args: {
      contactId: '01900000-0000-7000-8000-000000000001',
      phone: '+*******3456',
      app_secret: '***',
      list: ['*******3456'],
    },
    errors: [{ attempt: 20, message: 'the host was down' }],
  })
  const within = (fromMs: number, toMs: number): string =>
    `from=${isoTime(fromMs)}&to=${isoTime(toMs)}`
  expect(
    (
      await admin.get(
        `/api/jobs?state=discarded&kind=made.up&${within(startMs + 10_000, startMs + 19_000)}`,
      )
    ).data['total'],
  ).toBe(10)
  expect((await admin.get('/api/jobs?from=yesterday')).status).toBe(400)

  const some = await admin.post('/api/jobs/retry', {
    kind: 'made.up',
    from: isoTime(startMs),
    to: isoTime(startMs + 9_000),
  })
  // nothing that is given up later than now is meant
  expect([some.status, some.data['count']]).toEqual([202, 1])
  await world.settle()
  world.clock.advance({ minutes: 9 })
  expect(
    (await admin.post('/api/jobs/retry', { kind: 'made.up', to: isoTime(startMs + 9_000) })).data[
      'count'
    ],
  ).toBe(10)
  await world.settle()
  world.clock.advance({ seconds: 1 })
  expect((await admin.post('/api/jobs/retry', { kind: 'made.up' })).data['count']).toBe(250)
  await world.settle()
  const written = (await (await world.as('admin')).get('/api/audit-logs?action=retried')).data[
    'items'
  ] as Loose[]
  expect(
    written.map(
      ({ resource_type, resource_name, changes }) =>
        [resource_type, resource_name, changes] as unknown,
    ),
  ).toEqual(
    [250, 10, 1].map((count) => [
      'job',
      'made.up',
      [{ field: 'jobs', old_value: null, new_value: count }],
    ]),
  )
  // This version has no such job, so each was given up anew, and said so: all of them ran, those of
  // others did not.
  const again = world.rows(
    `select organization_id as id, json_array_length(errors) as errors, count(*) as n from jobs where kind = 'made.up' group by 1, 2`,
  )
  expect(again.toSorted((a, b) => Number(b['n']) - Number(a['n']))).toEqual([
    { id: world.tenant.id, errors: 2, n: 240 },
    { id: world.tenant.id, errors: 3, n: 9 },
    { id: world.other.id, errors: 1, n: 5 },
    { id: world.tenant.id, errors: 4, n: 1 },
  ])
  expect(
    world.rows(`select json_array_length(errors) as errors from jobs where kind = 'other.kind'`),
  ).toEqual([{ errors: 1 }, { errors: 1 }, { errors: 1 }])

  giveUp(world, 10_001, { kind: 'crowd' })
  world.clock.advance({ ms: DAY_MS })
  expect(await (await world.as('admin')).post('/api/jobs/retry', { kind: 'crowd' })).toMatchObject({
    status: 400,
    body: { code: 'too_many_jobs' },
  })
  expect((await (await world.as('agent')).post('/api/jobs/retry', {})).status).toBe(403)
})

test('a very long list of jobs is complete by page and by cursor', async () => {
  await using world = await World.create()
  world.stays('jobs')
  await world.settle()
  giveUp(world, 4_500, { kind: 'crowd' })
  giveUp(world, 1, { kind: 'rare' })
  giveUp(world, 4_500, { kind: 'crowd' })
  giveUp(world, 3, { kind: 'crowd', organizationId: world.other.id })
  const expected = world.rows<{ id: string }>(
    "select id from jobs where kind = 'crowd' and organization_id = ? order by id desc",
    world.tenant.id,
  )
  const admin = await world.as('admin')
  const idsOf = (data: Loose): unknown[] => (data['items'] as Loose[]).map(({ id }) => id)
  const wanted = (from: number, to: number): unknown[] =>
    expected.slice(from, to).map(({ id }) => id)

  for (const page of [1, 40, 41, 67, 90]) {
    const { data } = await admin.get(`/api/jobs?kind=crowd&limit=100&page=${page}`)
    expect([idsOf(data), data['total'], data['counts']]).toEqual([
      wanted((page - 1) * 100, page * 100),
      9_000,
      { ...NO_JOBS, discarded: 9_000 },
    ])
  }
  expect(idsOf((await admin.get('/api/jobs?kind=crowd&limit=100&page=91')).data)).toEqual([])
  expect((await admin.get('/api/jobs?kind=rare')).data).toMatchObject({
    total: 1,
    counts: { discarded: 1 },
    items: [{ kind: 'rare' }],
  })
  expect((await admin.get('/api/jobs?kind=crowd&state=completed')).data).toMatchObject({
    total: 0,
    counts: { discarded: 9_000 },
    items: [],
  })
  const { data: far } = await admin.get('/api/jobs?kind=crowd&limit=100&page=44')
  const { data: next } = await admin.get(
    `/api/jobs?kind=crowd&limit=100&cursor=${far['next_cursor']}`,
  )
  expect([idsOf(next), next['total']]).toEqual([wanted(4_400, 4_500), null])
  const all = await (await world.as('super')).get('/api/jobs?kind=crowd&all=true&limit=1')
  expect(all.data).toMatchObject({ total: 9_003, counts: { discarded: 9_003 } })
})

test('schedules are shown to super admins with their last and next run', async () => {
  await using world = await World.create({ isConnected: false })
  await world.settle()
  const boss = await world.as('super')
  const items = (await boss.get('/api/jobs/schedule')).data['items'] as Loose[]
  const by = new Map(items.map((item) => [item['name'], item]))
  expect(by.get('system.prune-old-data')).toEqual({
    name: 'system.prune-old-data',
    schedule: 'every 15 minutes',
    last_run_at: isoTime(world.clock.nowMs()),
    last_outcome: 'completed',
    next_run_at: isoTime(world.clock.nowMs() + 15 * 60_000),
  })
  expect(by.get('media.sweep')).toMatchObject({
    schedule: '30 3 * * * (UTC)',
    last_run_at: null,
    last_outcome: null,
  })
  expect((await (await world.as('admin')).get('/api/jobs/schedule')).status).toBe(403)
})

test('masks arguments at any depth', () => {
  expect(maskedArgs({ deep: [{ token: 't', to: '15550100001', n: 7, none: null }] })).toEqual({
    deep: [{ token: '***', to: '*******0001', n: 7, none: null }],
  })
})
