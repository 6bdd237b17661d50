import { rmSync, symlinkSync } from 'node:fs'

import { expect, test } from 'bun:test'

import type { Client } from '../../../support/client'
import { entriesOf } from '../../../support/privacy-export'
import { upload } from '../../../support/files'
import { World } from '../../../support/world'
import { readRows } from '../../../support/sql'

/** Sends a contact two files and returns their media IDs. */
async function sendFiles(admin: Client, contactId: string): Promise<[string, string]> {
  const ids: string[] = []
  for (const name of ['leaflet.txt', 'plan.txt']) {
    const bytes = new TextEncoder().encode(name)
    const { data } = await upload(admin, { bytes, type: 'text/plain', name })
    await admin.post(`/api/contacts/${contactId}/messages`, {
      ...{ type: 'document', media_id: data['id'] },
    })
    ids.push(String(data['id']))
  }
  return ids as [string, string]
}

const pathOfMedia = ({ program }: World, mediaId: string): string => {
  const [row] = readRows<{ stored_as: string }>(
    program.http.db.sqlite,
    'select stored_as from media where id = ?',
    [mediaId],
  )
  return program.http.files.pathOf(row?.stored_as ?? '')
}

test('an export without a stored file that is missing contains the rest and says so', async () => {
  await using world = await World.create({ tenants: 1 })
  world.stays('faults of a disk')
  const { id } = await world.contactOf()
  const admin = await world.as('admin')
  const [missing, present] = await sendFiles(admin, String(id))
  await world.settle()
  rmSync(pathOfMedia(world, missing))

  const { data: request } = await admin.post(`/api/contacts/${id}/privacy-export`)
  await world.settle()
  const { data: done } = await admin.get(`/api/privacy/requests/${request['id']}`)
  expect(done).toMatchObject({
    state: 'completed',
    receipt: { counts: { messages: 3, files: 1, missing_files: 1 } },
  })
  const entries = await entriesOf(world, admin, String(request['id']))
  expect(entries.get(`files/${present}.txt`)).toBe('plan.txt')
  expect(entries.has(`files/${missing}.txt`)).toBe(false)
  expect(JSON.parse(entries.get('missing-files.json') ?? '')).toEqual([
    {
      file: `files/${missing}.txt`,
      media_id: missing,
      reason: 'The stored file no longer exists on the server, so this export does not contain it.',
    },
  ])
})

test('an export with an unreadable file fails after five attempts and names the file', async () => {
  await using world = await World.create({ tenants: 1 })
  world.stays('faults of a disk')
  const { id } = await world.contactOf()
  const admin = await world.as('admin')
  const [unreadable] = await sendFiles(admin, String(id))
  await world.settle()
  const stored = pathOfMedia(world, unreadable)
  rmSync(stored)
  symlinkSync(stored, stored) // a loop: it exists, and nobody can read it

  const path = `/api/contacts/${id}`
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
    error:
      `The stored file of media ${unreadable} cannot be read (ELOOP). Ask the operator to check ` +
      'the media folder in the data directory, then start a new export.',
  })
  const refused = await later.get(`${address}/download`)
  expect([refused.status, refused.body.code, refused.body.message]).toEqual([
    ...[409, 'unfinished'],
    'The export failed. Start a new one.',
  ])
  // A new export can be requested.
  expect((await later.post(`${path}/privacy-export`)).status).toBe(201)
})

test('an export that meets damaged data fails, leaves the server running and explains itself', async () => {
  await using world = await World.create({ tenants: 1 })
  const { id } = await world.contactOf()
  const admin = await world.as('admin')
  world.program.http.db.sqlite.run("update inbound_bodies set body = x'00'")
  // A slow disk: the archive fails before anybody reads it.
  const { files } = world.program.http
  const stage = files.stage.bind(files)
  files.stage = async (bytes, about) => {
    for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate)
    return stage(bytes, about)
  }
  const { data: request } = await admin.post(`/api/contacts/${id}/privacy-export`)
  for (let nth = 0; nth < 5; nth += 1) {
    await world.settle()
    world.clock.advance({ hours: 1 })
  }
  const later = await world.as('admin')
  const { data: failed } = await later.get(`/api/privacy/requests/${request['id']}`)
  expect(failed).toMatchObject({
    ...{ state: 'failed', receipt: null },
    error:
      'The export failed because of an internal error. Start a new one. If it fails again, ask ' +
      'the operator to look for the failed job in the server log.',
  })
})
