import { expect, test } from 'bun:test'

import { createRegistry } from '../../../../src/registry'
import { STAYING_JOBS } from '../../../../src/modules/data/organization-import/moving-arrivals'
import { WorldPair } from '../../../support/moves'
import { changeRows } from '../../../support/sql'
import type { World } from '../../../support/world'

test('jobs that stay behind in a move are jobs of this version', () => {
  const names = new Set(createRegistry().workers.map(({ name }) => name))
  expect(Object.keys(STAYING_JOBS).filter((name) => !names.has(name))).toEqual([])
})

test('a nightly job that arrives with its organization is not begun where it arrives', async () => {
  await using pair = await WorldPair.create()
  const { from, to } = pair
  const admin = await from.as('admin', from.other)
  await admin.put('/api/retention', { messages_days: 30 })
  await pair.start()
  await pair.reach('importing', { of: [from] })
  await to.settle()
  // Stands for a large archive: the night comes after the settings.
  await pair.pass({ seconds: 24 * 3_600, of: [] })
  await to.settle()
  const nightly = () => to.rows("select state from jobs where kind = 'retention.sweep'")
  expect([pair.states, nightly()]).toEqual([['moving', 'importing'], []])
})

test('a job with the ID of a job of the other server arrives with another ID', async () => {
  await using pair = await WorldPair.create()
  const { from, to } = pair
  const plan = ({ program, clock }: World, id: string, organizationId: string) =>
    changeRows(
      program.http.db.sqlite,
      `insert into jobs (id, kind, queue, state, organization_id, args, max_attempts, scheduled_at_ms, created_at_ms)
       values (?, 'retention.sweep', 'default', 'scheduled', ?, '{"date":"2026-01-01"}', 20, ?, 1)`,
      [id, organizationId, clock.nowMs() + 100 * 24 * 3_600_000],
    )
  const [taken, last, next] = ['8e00', '8f00', '8000'].map((end, nth) =>
    ['01a00000-0000-700', nth === 2 ? 2 : 1, `-${end}-000000000000`].join(''),
  ) as [string, string, string]
  for (const id of [taken, last]) plan(to, id, to.tenant.id)
  plan(from, taken, pair.organization)
  await pair.start()
  await pair.reach('completed')
  expect(
    to.rows(
      "select id, organization_id as of from jobs where kind = 'retention.sweep' order by id",
    ),
  ).toEqual([
    { id: taken, of: to.tenant.id },
    { id: last, of: to.tenant.id },
    { id: next, of: pair.organization },
  ])
})
