import { expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { WorldPair } from '../../../support/moves'
import { changeRows } from '../../../support/sql'

/** The only membership of the super admin is in the organization that moved. */
test('a super admin whose organization moved away is still notified about the old server', async () => {
  await using pair = await WorldPair.create()
  const { from } = pair
  changeRows(from.program.http.db.sqlite, 'update users set is_super_admin = 1 where id = ?', [
    from.other.userIds.manager,
  ])
  await pair.start()
  await pair.reach('completed')
  pair.cut()
  await pair.pass({ seconds: 31 * 24 * 3_600 })
  await pair.pass({ seconds: 300 })
  const superAdmin = await from.signIn(from.emailOf('manager', from.other))
  const { data } = await superAdmin.get('/api/me/notifications')
  expect((data['items'] as Loose[]).map(({ title }) => title)).toContain('Organization missing')
})
