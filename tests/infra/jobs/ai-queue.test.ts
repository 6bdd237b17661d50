import { expect, test } from 'bun:test'

import { idNamed } from '../../support/ids'
import { finish, heldJob, until, Workbench } from '../../support/workbench'

const names = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, nth) => `${prefix}${nth}`)

test('an organization makes at most eight AI calls at once, and others do not wait for it', async () => {
  using bench = new Workbench({ workers: 4 })
  const held = heldJob({ name: 'ask', queue: 'ai' })
  bench.enqueue(held.job, names('a', 20), {}, idNamed('org-a'))
  bench.enqueue(held.job, names('b', 3), {}, idNamed('org-b'))
  const done = finish(bench.worker([held.job]))
  await until(() => held.started.length === 11)
  expect(held.started.filter((name) => name.startsWith('a'))).toHaveLength(8)
  expect(held.started.filter((name) => name.startsWith('b'))).toHaveLength(3)
  held.letGo('a0')
  await until(() => held.started.length === 12)
  for (let nth = 0; nth < 23; nth += 1) {
    await until(() => held.started.length > nth)
    held.letGo(held.started[nth] ?? '')
  }
  await done
})

test('one document is read at a time, and organizations take turns', async () => {
  using bench = new Workbench({ workers: 4 })
  const held = heldJob({ name: 'read', queue: 'documents' })
  bench.enqueue(held.job, names('a', 3), {}, idNamed('org-a'))
  bench.enqueue(held.job, names('b', 1), {}, idNamed('org-b'))
  const done = finish(bench.worker([held.job]))
  for (let nth = 1; nth <= 4; nth += 1) {
    await until(() => held.started.length === nth)
    await Bun.sleep(5)
    expect(held.started).toHaveLength(nth)
    held.letGo(held.started.at(-1) ?? '')
  }
  await done
  expect(held.started.indexOf('b0')).toBeLessThan(2)
})
