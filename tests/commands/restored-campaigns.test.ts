import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { CampaignFixture } from '../support/campaigns'
import type { Loose } from '../support/client'
import { ServerProcess } from '../support/process'
import { backUp, restore, signInAt } from '../support/restored'

const PEOPLE = 30

test('a restore pauses campaigns, so that no recipient gets a second message without a decision', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'restored-'))
  await using fixture = await CampaignFixture.open()
  const { world } = fixture
  const sending = await fixture.draftFor(PEOPLE, { rate_limit: 5 })
  await fixture.do(sending, 'start')
  await world.settle()
  world.clock.advance({ seconds: 1 })
  await world.settle()
  const atBackup = await fixture.campaign(sending)
  expect([
    atBackup['status'],
    Number(atBackup['sent_count']) > 0,
    Number(atBackup['pending_count']) > 0,
  ]).toEqual(['sending', true, true])
  const scheduled = await fixture.draftFor(['15550990001'])
  const inAnHour = new Date(world.clock.nowMs() + 3_600_000).toISOString()
  expect((await fixture.do(scheduled, 'schedule', { scheduled_at: inAnHour })).status).toBe(200)
  // A campaign that would resume automatically, because it waits for tomorrow's quota.
  const waiting = await fixture.draftFor(['15550990002'])
  world.rows(
    "update campaigns set status = 'paused', pause_reason = 'quota', resumes_at_ms = 1, started_at_ms = 1 where id = ?",
    waiting,
  )
  const backup = backUp(world, folder)
  expect(await fixture.run(sending)).toMatchObject({ status: 'completed', sent_count: PEOPLE })

  const { told, options } = await restore(world, backup)
  expect(told).toMatchObject({ campaigns_paused: 3 })

  await using server = await ServerProcess.start(options)
  const manager = await signInAt(server, world)
  const all = await Promise.all(
    [sending, scheduled, waiting].map(
      async (id) => (await manager.get(`/api/campaigns/${id}`)).data,
    ),
  )
  expect(all.map(({ status, pause_reason }) => [status, pause_reason])).toEqual(
    all.map(() => ['paused', 'restored']),
  )
  const [first = {}] = all
  expect([first['sending_count'], first['pending_count']]).toEqual([0, 0])
  const left = Number(first['unknown_count'])
  expect(left).toBeGreaterThan(Number(atBackup['pending_count']) - 1)
  const { data: listed } = await manager.get(
    `/api/campaigns/${sending}/recipients?status=unknown&limit=100`,
  )
  expect(listed).toMatchObject({ total: left })
  const people = listed['items'] as Loose[]
  expect(people.map(({ error }) => (error as Loose)['code'])).toEqual(
    people.map(() => 'outcome_unknown'),
  )
  const exported = await fetch(`${server.url}/api/campaigns/${sending}/export?status=unknown`, {
    headers: manager.headers,
  })
  const numbers = people.map(({ phone_number }) => String(phone_number))
  const lines = (await exported.text()).trim().split('\n').slice(1)
  expect(lines.filter((line) => numbers.some((number) => line.includes(number)))).toHaveLength(left)
  const notices = (await manager.get('/api/me/notifications')).data['items'] as Loose[]
  expect(
    notices.filter(({ body }) => String(body).startsWith('A backup was restored')),
  ).toHaveLength(3)

  const refused = await manager.post(`/api/campaigns/${sending}/resume`)
  expect([refused.status, refused.body.code, refused.body.details]).toEqual([
    409,
    'restored',
    { recipients: left },
  ])
  expect(refused.body.message).toContain(`${left} recipients may have received the message`)
  expect([...fixture.calls().values()].every((calls) => calls === 1)).toBe(true)

  const errors = await manager.post(`/api/campaigns/${sending}/resume`, { ignore_errors: true })
  expect([errors.status, errors.body.code]).toEqual([409, 'restored'])
  const resumed = await manager.post(`/api/campaigns/${sending}/resume`, { include_unknown: true })
  expect([resumed.status, resumed.data['status']]).toEqual([200, 'sending'])
  for (let round = 0; round < 500; round += 1) {
    if ((await manager.get(`/api/campaigns/${sending}`)).data['status'] === 'completed') break
    await Bun.sleep(20)
  }
  // Only messages unknown to the backup were sent again, after an explicit resume.
  expect([...fixture.calls().values()].filter((calls) => calls > 1)).toHaveLength(left)
  expect(fixture.calls().size).toBe(PEOPLE)
  expect((await manager.get(`/api/campaigns/${sending}`)).data).toMatchObject({
    status: 'completed',
  })
  rmSync(folder, { recursive: true, force: true })
})
