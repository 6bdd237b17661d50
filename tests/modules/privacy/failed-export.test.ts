import { rmSync } from 'node:fs'

import { expect, test } from 'bun:test'

import { upload } from '../../support/files'
import { World } from '../../support/world'

test('an export with unreadable files fails after five attempts and reports it', async () => {
  await using world = await World.create({ tenants: 1 })
  const { id } = await world.contactOf()
  const admin = await world.as('admin')
  const { data: file } = await upload(admin, {
    bytes: new TextEncoder().encode('leaflet'),
    type: 'text/plain',
    name: 'leaflet.txt',
  })
  const path = `/api/contacts/${id}`
  await admin.post(`${path}/messages`, { type: 'document', media_id: file['id'] })
  await world.settle()
  const { files } = world.program.http
  for await (const { name } of files.list()) rmSync(files.pathOf(name))

  const { data: request } = await admin.post(`${path}/privacy-export`)
  const address = `/api/privacy/requests/${request['id']}`
  const early = await admin.get(`${address}/download`)
  expect([early.status, early.body.code, early.body.message]).toEqual([
    ...[409, 'unfinished'],
    'The export is not finished yet. Try again shortly.',
  ])
  for (let nth = 0; nth < 5; nth += 1) {
    expect((await (await world.as('admin')).get(address)).data['state']).toBe('running')
    await world.settle()
    world.clock.advance({ hours: 1 })
  }
  const later = await world.as('admin')
  const { data: failed } = await later.get(address)
  expect(failed).toMatchObject({
    ...{ state: 'failed', receipt: null, expires_at: null },
    error: expect.stringMatching(/\w/),
  })
  const refused = await later.get(`${address}/download`)
  expect([refused.status, refused.body.code, refused.body.message]).toEqual([
    ...[409, 'unfinished'],
    'The export failed. Start a new one.',
  ])
  // A new export can be requested.
  expect((await later.post(`${path}/privacy-export`)).status).toBe(201)
})
