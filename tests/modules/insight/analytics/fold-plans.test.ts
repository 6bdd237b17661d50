import { expect, test } from 'bun:test'

import { ALL_TABLES } from '../../../../src/modules/insight/analytics/rollups/catalog'
import { deletion } from '../../../../src/modules/insight/analytics/rollups/fold'
import { freshDatabase } from '../../../support/world'

test('moves of counts touch their own rows only, however many there are', () => {
  const database = freshDatabase()
  for (const counts of ALL_TABLES)
    for (const lead of counts.leads) {
      const plan = database
        .query<{ detail: string }, []>(`explain query plan ${deletion(counts, `${lead} unit = 1`)}`)
        .all()
      // The rows to delete are found by their period, and not by looking through a whole part.
      expect([counts.table, plan[0]?.detail]).toEqual([
        counts.table,
        expect.stringMatching(/^SEARCH .*unit=\? AND start=\?/),
      ])
    }
  database.close()
})
