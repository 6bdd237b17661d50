import { expect, test } from 'bun:test'

import { eraseNamedCopy } from '../../../../src/modules/data/organization-move/cli'
import { WorldPair } from '../../../support/moves'

test('the list of own organizations says where one has moved, until its copy is erased', async () => {
  await using pair = await WorldPair.create()
  const { from, to } = pair
  const boss = await from.as('admin', from.other)
  await boss.post('/api/organizations/members', { user_id: from.tenant.userIds.agent })
  const person = await from.as('agent')
  const listed = async (query = '') => {
    const { data } = await person.get(`/api/me/organizations${query}`)
    const rows = data['organizations'] as { name: string; moved_to?: string }[]
    return { rows: rows.map(({ name, moved_to: at }) => [name, at]), total: data['total'] }
  }
  const [own, moving] = [from.tenant.name, from.other.name]
  expect((await listed()).rows).toEqual([
    [own, undefined],
    [moving, undefined],
  ])
  await pair.start()
  await pair.reach('completed')
  const after = [
    [own, undefined],
    [moving, to.url],
  ]
  expect([await listed(), await listed('?page=1')]).toEqual([
    { rows: after, total: undefined },
    { rows: after, total: 2 },
  ])
  await eraseNamedCopy(from.program.http, pair.organization, { isForced: false })
  expect(pair.states[0]).toBe('erasing')
  expect(await listed('?page=1')).toEqual({ rows: [[own, undefined]], total: 1 })
})
