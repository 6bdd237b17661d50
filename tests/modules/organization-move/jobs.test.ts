import { expect, test } from 'bun:test'

import { createRegistry } from '../../../src/registry'
import { STAYING_JOBS } from '../../../src/modules/organization-import/moving-arrivals'

test('jobs that stay behind in a move are jobs of this version', () => {
  const names = new Set(createRegistry().workers.map(({ name }) => name))
  expect(Object.keys(STAYING_JOBS).filter((name) => !names.has(name))).toEqual([])
})
