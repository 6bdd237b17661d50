import { expect, spyOn, test } from 'bun:test'

import { upload } from '../../../support/files'
import { archiveOf, packed, PASSPHRASE, smallArchive } from '../../../support/organization-archive'
import { changeRows } from '../../../support/sql'
import { World } from '../../../support/world'

/** More than one transaction deletes. */
const MONTHS = 250

test('counts of an archive replace all that triggers counted, however many they are', async () => {
  await using source = await World.create()
  await source.contactOf()
  const columns =
    'organization_id, conversation_id, contact_id, account_id, type, content, preview, status, source, timestamp_ms, received_at_ms, created_at_ms'
  changeRows(
    source.program.http.db.sqlite,
    `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${MONTHS - 1})
     insert into messages (id, cost_month, cost_currency, cost_micros, ${columns})
     select unhex(printf('0190000000007000ffff%012x', i)), (2000 + i / 12) * 100 + i % 12 + 1, 'USD', i, ${columns}
     from n, (select * from messages limit 1)`,
  )
  // Costs of messages that retention erased.
  changeRows(
    source.program.http.db.sqlite,
    'update cost_totals set settled_micros = settled_micros + 7',
  )
  const totals = (world: World) =>
    world.rows('select month, currency, settled_micros from cost_totals order by month')
  expect(totals(source)).toHaveLength(MONTHS)
  await using target = await World.create({ names: ['Crux'], firstId: 1_000_000 })
  const { status } = await upload(await target.as('super'), {
    ...{ bytes: await packed(await archiveOf(source, source.tenant)), name: 'a.zip' },
    ...{ path: '/api/admin/organizations/import', type: 'application/zip' },
    fields: { passphrase: PASSPHRASE, dry_run: 'false' },
  })
  expect(status).toBe(202)
  await target.settle()
  expect(target.rows('select state, error from organization_imports')).toEqual([
    { state: 'completed', error: null },
  ])
  expect(totals(target)).toEqual(totals(source))
})

test('a machine on which each row takes as long as a transaction may stores every row', async () => {
  await using source = await World.create({ agentsSeeUnassigned: true })
  await using target = await World.create({ names: ['Crux'], firstId: 1_000_000 })
  const archive = await smallArchive(source)
  const { status, data } = await upload(await target.as('super'), {
    ...{ bytes: await packed(archive), path: '/api/admin/organizations/import' },
    ...{ name: 'a.zip', type: 'application/zip', fields: { dry_run: 'false' } },
  })
  expect(status).toBe(202)
  const realNow = performance.now.bind(performance)
  let passedMs = 0
  {
    using _slow = spyOn(performance, 'now').mockImplementation(() => realNow() + (passedMs += 10))
    await target.settle()
  }
  expect(target.rows('select state, error, rows_done from organization_imports')).toEqual([
    { state: 'completed', error: null, rows_done: data['rows_total'] },
  ])
  const { id } = archive.manifest.organization
  for (const table of ['roles', 'role_permissions', 'memberships'])
    expect(target.rows(`select 1 from ${table} where organization_id = ?`, id)).toHaveLength(
      archive.parts.get(table)?.length ?? 0,
    )
})
