import { expect, test } from 'bun:test'

import { upload } from '../../../support/files'
import { archiveOf, columnOf, packed } from '../../../support/organization-archive'
import { World } from '../../../support/world'

/** The server would read thousands of endpoints at each event, and nobody else would be served. */
test('refuses more endpoints than an organization can have', async () => {
  await using world = await World.create()
  const admin = await world.as('admin')
  const endpoint = { name: 'Ours', url: 'https://example.com/hook', events: ['contact.created'] }
  expect((await admin.post('/api/webhooks', endpoint)).status).toBe(201)
  const archive = await archiveOf(world, world.tenant, { hasSecrets: false })
  const [line] = archive.parts.get('webhook_endpoints') as unknown[][]
  const [id, key, deleted] = ['id', 'name_key', 'deleted_at_ms'].map((column) =>
    columnOf(archive, 'webhook_endpoints', column),
  ) as [number, number, number]
  await using other = await World.create({ names: ['Crux'], firstId: 1_000_000 })
  const checked = async (count: number, deletedAtMs: number | null) => {
    const lines = Array.from({ length: count }, (_, nth) =>
      (line ?? [])
        .with(id, `01a00000-0000-7001-8${String(nth).padStart(3, '0')}-000000000000`)
        .with(key, `n${nth}`)
        .with(deleted, deletedAtMs),
    )
    archive.parts.set('webhook_endpoints', lines)
    const { status, body } = await upload(await other.as('super'), {
      bytes: await packed(archive),
      ...{ path: '/api/admin/organizations/import', name: 'a.zip', type: 'application/zip' },
    })
    return [status, body.code ?? null, body.details ?? null]
  }
  expect(await checked(40, null)).toEqual([202, null, null])
  expect(await checked(100, 1)).toEqual([202, null, null])
  const place = { file: 'tables/webhook_endpoints.ndjson', line: 41 }
  expect(await checked(100, null)).toEqual([400, 'archive_invalid', place])
})
