import { expect, test } from 'bun:test'

import { numbersOf, Office } from '../../support/campaigns'
import { changeRows } from '../../support/sql'

test('does not fail recipients when the disk is full', async () => {
  await using office = await Office.open()
  const id = await office.draftFor(numbersOf(40, 15_550_900_000))
  await office.do(id, 'start')
  const { sqlite } = office.world.program.http.db
  const pages = sqlite.query<{ page_count: number }, []>('pragma page_count').get()?.page_count ?? 0
  changeRows(sqlite, `pragma max_page_count = ${pages + 8}`)
  expect(await office.world.settle().catch(String)).toContain('full')
  sqlite.run('pragma max_page_count = 1073741823')
  expect(await office.run(id)).toMatchObject({
    status: 'completed',
    failed_count: 0,
    sent_count: 40,
  })
})
