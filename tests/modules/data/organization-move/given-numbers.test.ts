import { expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { WorldPair } from '../../../support/moves'
import { archiveOf, packed, PASSPHRASE } from '../../../support/organization-archive'
import { upload } from '../../../support/files'
import { lineOf } from '../../../support/lines'

/** The copy that an organization leaves when it moves still has its number. */
test('a number that another organization got after the move arrives with that one', async () => {
  await using pair = await WorldPair.create()
  const { from, to } = pair
  await pair.start()
  await pair.reach('completed')
  const mover = await to.signIn(from.emailOf('admin', from.other))
  expect((await mover.delete(`/api/accounts/${from.other.accountId}`)).status).toBe(200)
  const { phoneNumberId: id, wabaId, displayPhoneNumber } = lineOf(from.other)
  const { token } = to.simulator.addPhone({ id, wabaId, displayPhoneNumber })
  const owner = await to.as('admin')
  const account = { name: 'Ours now', phone_id: id, business_id: wabaId, access_token: token }
  expect((await owner.post('/api/accounts', account)).status).toBe(201)
  await to.settle()

  // A file may be older than the move, so it is refused, and before anything is stored.
  const answer = await upload(await from.as('super'), {
    bytes: await packed(await archiveOf(to, to.tenant)),
    ...{ path: '/api/admin/organizations/import', name: 'a.zip', type: 'application/zip' },
    fields: { passphrase: PASSPHRASE, dry_run: 'false' },
  })
  expect([answer.status, answer.body.code]).toEqual([400, 'number_in_use'])

  const path = `/api/admin/organizations/${to.tenant.id}/move`
  const superAdmin = await to.as('super')
  expect((await superAdmin.post<Loose>(path, { to: from.url })).status).toBe(202)
  const moveOf = () => to.rows('select step, error from organization_moves')[0]
  for (let round = 0; round < 20 && moveOf()?.['step'] !== 'completed'; round += 1)
    await pair.pass()
  expect(moveOf()).toEqual({ step: 'completed', error: null })
  expect(
    from.rows(
      'select organization_id as of from accounts where phone_id = ? and deleted_at_ms is null',
      id,
    ),
  ).toEqual([{ of: to.tenant.id }])
}, 20_000)
