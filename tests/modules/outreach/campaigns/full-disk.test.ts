import { expect, test } from 'bun:test'

import { numbersOf, CampaignFixture } from '../../../support/campaigns'
import { changeRows } from '../../../support/sql'

test('does not fail recipients when the disk is full', async () => {
  await using fixture = await CampaignFixture.open()
  const id = await fixture.draftFor(numbersOf(40, 15_550_900_000))
  await fixture.do(id, 'start')
  const { sqlite } = fixture.world.program.http.db
  const pages = sqlite.query<{ page_count: number }, []>('pragma page_count').get()?.page_count ?? 0
  changeRows(sqlite, `pragma max_page_count = ${pages + 8}`)
  expect(await fixture.world.settle().catch(String)).toContain('full')
  sqlite.run('pragma max_page_count = 1073741823')
  expect(await fixture.run(id)).toMatchObject({
    status: 'completed',
    failed_count: 0,
    sent_count: 40,
  })
})
