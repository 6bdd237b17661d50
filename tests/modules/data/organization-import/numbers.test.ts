import { expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { upload } from '../../../support/files'
import { WorldPair } from '../../../support/moves'
import { archiveOf, packed, PASSPHRASE } from '../../../support/organization-archive'

test('webhooks of an imported number come to the cell that it arrived in', async () => {
  await using pair = await WorldPair.create()
  const { from, to } = pair
  const { phoneId, wabaId, token } = from.other
  to.simulator.addPhone({
    ...{ id: phoneId, wabaId, token },
    callbackUrl: `${from.url}/api/webhook`,
  })
  const started = await upload<Loose>(await to.as('super'), {
    ...{ bytes: await packed(await archiveOf(from, from.other)), name: 'a.zip' },
    ...{ path: '/api/admin/organizations/import', type: 'application/zip' },
    fields: { passphrase: PASSPHRASE, dry_run: 'false' },
  })
  expect(started.status).toBe(202)
  await to.settle()
  expect(to.rows('select state from organization_imports')).toEqual([{ state: 'completed' }])
  expect(to.simulator.phones.find(({ id }) => id === phoneId)?.callbackUrl).toBe(
    `${to.url}/api/webhook`,
  )
})
