import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { readConfig } from '../../../../src/config'
import { FINDING_CODES } from '../../../../src/modules/operation/system/model'
import type { Loose } from '../../../support/client'
import { changeRows } from '../../../support/sql'
import { PASSWORD, World } from '../../../support/world'

/** A job that was given up, as an outage leaves it. */
function giveUp(world: World, kind: string, organizationId = world.tenant.id): string {
  const { db, clock, ids } = world.program.http
  const id = ids.next()
  changeRows(
    db.sqlite,
    `insert into jobs (id, kind, queue, state, organization_id, args, attempt, max_attempts, scheduled_at_ms, created_at_ms, attempted_at_ms, finished_at_ms, errors)
     values (?, ?, 'default', 'discarded', ?, '{}', 20, 20, 0, 0, 1, ?, '[{"attempt":20,"at_ms":1,"message":"the host was down"}]')`,
    [id, kind, organizationId, clock.nowMs()],
  )
  return id
}

describe('the health of the installation', () => {
  test('tells findings worst first, sources of settings without secrets, and sizes, to super admins only', async () => {
    await using world = await World.create({ env: { SMTP_URL: 'smtp://u:hidden-word@mail.test' } })
    world.stays('jobs')
    giveUp(world, 'made.up')
    const operator = await world.as('super')
    const { data } = await operator.get('/api/admin/health')
    const findings = data['findings'] as Loose[]
    expect(findings.find(({ code }) => code === 'jobs_failed')).toMatchObject({
      ...{ check: 'jobs', state: 'note', values: { count: 1 } },
    })
    const rank = ['problem', 'note', 'ok']
    const states = findings.map(({ state }) => rank.indexOf(String(state)))
    expect(states).toEqual(states.toSorted((a, b) => a - b))
    const settings = new Map((data['settings'] as Loose[]).map((one) => [one['name'], one]))
    expect(settings.get('SMTP_URL')).toEqual({
      ...{ name: 'SMTP_URL', value: 'set', secret: true, source: 'environment' },
    })
    expect(settings.get('JOURNAL_DAYS')).toMatchObject({ secret: false, source: 'default' })
    expect(JSON.stringify(data)).not.toContain('hidden-word')
    expect(data).toMatchObject({ thorough: false, cells: [] })
    expect(Number(data['memory_bytes'])).toBeGreaterThan(1_000_000)

    for (const path of ['health', 'attention', 'figures'])
      expect((await (await world.as('admin')).get(`/api/admin/${path}`)).status).toBe(403)
  })

  test('looks at the database and asks WhatsApp only when it is thorough', async () => {
    await using world = await World.create()
    const operator = await world.as('super')
    const checksOf = async (query: string): Promise<string[]> =>
      ((await operator.get(`/api/admin/health${query}`)).data['findings'] as Loose[]).map(
        ({ check, state }) => `${String(check)} ${String(state)}`,
      )
    expect(await checksOf('')).not.toContain('database ok')
    const thorough = await checksOf('?thorough=true')
    expect(thorough).toContain('database ok')
    expect(thorough).toContain('platform ok')
  })

  test('says where a setting comes from', () => {
    const file = join(import.meta.dir, 'alerts.yml')
    const env = { PORT: '81', MAIL_FROM: 'a@b.example', APP_SECRET_FILE: file, HOST: '' }
    const { sources } = readConfig({ ...env, APP_SECRET: '' }, [], new Set(['MAIL_FROM']))
    expect(sources).toMatchObject({
      ...{ PORT: 'environment', MAIL_FROM: 'env_file', APP_SECRET: 'file', HOST: 'default' },
    })
  })

  test('has a code of its own for everything', () => {
    expect(new Set(FINDING_CODES).size).toBe(FINDING_CODES.length)
  })
})

test('the number of what needs an operator follows failed jobs, and is told to who watches', async () => {
  await using world = await World.create()
  world.stays('jobs')
  const operator = await world.as('super')
  const attention = async (): Promise<unknown> => (await operator.get('/api/admin/attention')).data
  expect(await attention()).toEqual({ count: 0, problems: 0, failed_jobs: 0 })
  const credentials = { email: world.emailOf('super', world.tenant), password: PASSWORD }
  const login = await world.anyone.post('/api/auth/login', { ...credentials, include: ['start'] })
  expect((login.data['start'] as Loose)['server_attention']).toMatchObject({ count: 0 })

  const denied = await world.socket('admin')
  const watch = { type: 'subscribe', payload: { topics: ['server'] } }
  expect(await denied.ask(watch)).toMatchObject({ type: 'error', payload: { code: 'forbidden' } })
  const socket = await world.socket('super')
  expect(await socket.ask(watch)).toMatchObject({ payload: { topics: ['server'] } })
  const frames = () => socket.frames.filter(({ type }) => type === 'server:attention')
  let seen = 0
  const told = async (): Promise<unknown> => {
    world.clock.advance({ seconds: 3 })
    world.program.realtime.sockets.sweep()
    await world.eventually(() => frames().length > seen)
    seen = frames().length
    return frames().at(-1)?.payload
  }
  expect(await told()).toEqual({ count: 0, problems: 0, failed_jobs: 0 })
  const id = giveUp(world, 'media.download', world.other.id)
  giveUp(world, 'media.download')
  expect(await told()).toEqual({ count: 2, problems: 0, failed_jobs: 2 })

  // seen, and not wanted any more
  expect((await operator.post('/api/jobs/dismiss', { id, all: true })).data).toEqual({ count: 1 })
  expect(await told()).toEqual({ count: 1, problems: 0, failed_jobs: 1 })
  const admin = await world.as('admin')
  expect((await admin.post('/api/jobs/dismiss', { all: true })).status).toBe(403)
  expect((await admin.get('/api/jobs/kinds?all=true')).status).toBe(403)
  expect((await admin.get('/api/jobs/kinds?state=discarded')).data['items']).toEqual([
    {
      ...{ kind: 'media.download', count: 1, last_error: 'the host was down' },
      last_at: expect.any(String),
    },
  ])
  expect((await operator.post('/api/jobs/retry', { all: true })).data).toEqual({ count: 1 })
  await world.settle()
})

test('a problem counts too, and stands first', async () => {
  await using world = await World.create()
  world.stays('jobs')
  const { db, ids, clock } = world.program.http
  giveUp(world, 'made.up')
  changeRows(
    db.sqlite,
    `insert into jobs (id, kind, queue, state, organization_id, args, attempt, max_attempts, scheduled_at_ms, created_at_ms, attempted_at_ms, lease_until_ms)
     values (?, 'made.up', 'default', 'executing', ?, '{}', 1, 20, 0, 0, 1, ?)`,
    [ids.next(), world.tenant.id, clock.nowMs() - 600_000],
  )
  const operator = await world.as('super')
  expect((await operator.get('/api/admin/attention')).data).toEqual({
    ...{ count: 2, problems: 1, failed_jobs: 1 },
  })
  const [first] = (await operator.get('/api/admin/health')).data['findings'] as Loose[]
  expect(first).toMatchObject({ code: 'jobs_stalled', state: 'problem', values: { count: 1 } })
})

test('retries the failed jobs of all organizations', async () => {
  await using world = await World.create()
  world.stays('jobs')
  const operator = await world.as('super')
  const ids = [giveUp(world, 'made.up'), giveUp(world, 'made.up', world.other.id)]
  world.clock.advance({ seconds: 1 })
  expect((await (await world.as('admin')).post('/api/jobs/retry', { all: true })).status).toBe(403)
  const { data } = await operator.post('/api/jobs/retry', { kind: 'made.up', all: true })
  expect(data).toEqual({ count: 2 })
  await world.settle()
  // no version has such a job, so each ran, and was given up again
  const rows = world.rows<{ id: string; n: number }>(
    `select id, json_array_length(errors) as n from jobs where kind = 'made.up'`,
  )
  expect(rows.map(({ n }) => n)).toEqual([2, 2])
  expect(rows.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
})

test('a job that a person discards does not ask for an operator', async () => {
  await using world = await World.create()
  world.stays('jobs')
  const { db, ids, clock } = world.program.http
  const id = ids.next()
  changeRows(
    db.sqlite,
    `insert into jobs (id, kind, queue, state, organization_id, args, max_attempts, scheduled_at_ms, created_at_ms)
     values (?, 'made.up', 'default', 'scheduled', ?, '{}', 20, ?, 0)`,
    [id, world.tenant.id, clock.nowMs() + 9_000_000],
  )
  const operator = await world.as('super')
  expect((await operator.post(`/api/jobs/${id}/discard`, {})).data['state']).toBe('discarded')
  expect((await operator.get('/api/admin/attention')).data['count']).toBe(0)
})

test('figures are kept for a day, also over a restart', async () => {
  await using world = await World.create()
  const { simulator, tenant } = world
  const says = async (): Promise<void> => {
    await simulator.customer({ phone: tenant.phoneId, name: 'Ana' }).says('Hello')
    await world.settle()
  }
  const wait = async (): Promise<void> => {
    world.clock.advance({ minutes: 5 })
    await world.settle()
  }
  await world.settle()
  await says()
  await wait()
  await says()
  await says()
  giveUp(world, 'made.up')
  await wait()
  world.stays('jobs')
  const operator = await world.as('super')
  const { data } = await operator.get('/api/admin/figures')
  const items = data['items'] as Loose[]
  expect(items.slice(-2).map((one) => [one['messages_in'], one['jobs_failed']])).toEqual([
    [1, 0],
    [2, 1],
  ])
  world.program.http.metrics.messages.reset() // as a process that begins
  await says()
  await wait()
  const after = (await operator.get('/api/admin/figures')).data['items'] as Loose[]
  expect(after.at(-1)).toMatchObject({ messages_in: 1 })
  world.clock.advance({ hours: 25 })
  const again = await world.as('super')
  expect((await again.get('/api/admin/figures')).data['items']).toEqual([])
})
