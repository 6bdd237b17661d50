import { expect, test } from 'bun:test'

import { restlessJobs, unfinishedJobs } from '../chaos/restless'
import { openSendFixture } from '../support/sending'

test('the report of unfinished jobs shows row, times, message and jobs with the same key', async () => {
  await using fixture = await openSendFixture()
  const { world } = fixture
  expect(restlessJobs(world, world.clock.nowMs())).toEqual([])
  const admin = await world.as('admin')
  expect(
    (await admin.post('/api/outbox/pause', { account_id: world.tenant.accountId })).status,
  ).toBe(200)
  const ids: string[] = []
  for (const text of ['one', 'two'])
    ids.push(String((await fixture.send({ type: 'text', text })).data['id']))
  await world.settle()
  world.clock.advance({ seconds: 30 })
  expect(unfinishedJobs(world)).toContainEqual({ kind: 'message.send', state: 'available', n: 2 })
  const told = restlessJobs(world, world.clock.nowMs()).filter((line) =>
    line.includes(' message.send '),
  )
  const key = `key send:${String(fixture.contact['id'])}`
  expect(told).toHaveLength(2)
  expect(told[0]).toMatch(/^job [0-9a-f-]{36} message\.send available, key send:/)
  for (const words of [
    key,
    'is_blocked 0',
    'attempt 0',
    'scheduled -30 s',
    'attempted never',
    `message ${ids[0]} pending, stage queued, made -30 s`,
  ])
    expect(told[0]).toContain(words)
  expect(told[1]).toMatch(/^ {2}same key: job/)
  expect(told[1]).toContain(`message ${ids[1]} pending`)
})
