import { expect, test } from 'bun:test'

import { createRegistry } from '../../../../src/registry'
import { STAYING_JOBS } from '../../../../src/modules/data/organization-import/moving-arrivals'
import { WorldPair } from '../../../support/moves'

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
