import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { SAMPLES } from '../../../../src/simulator/sample-files'
import type { Client, Loose } from '../../../support/client'
import { upload } from '../../../support/files'
import { personWith } from '../../../support/people'
import { World } from '../../../support/world'

let world: World
/** A customer's picture, and the file of it. */
let message: Loose
let mediaId: string

beforeAll(async () => {
  world = await World.create()
  await world.simulator.customer({ phone: world.tenant.phoneId }).sends({ type: 'image' })
  await world.settle()
  const [row] = world.rows('select id from messages')
  message = (await (await world.as('admin')).get(`/api/messages/${row?.['id']}`)).data
  mediaId = message['media']['id'] as string
})

afterAll(() => world.stop())

const PDF = { bytes: SAMPLES['application/pdf'], type: 'application/pdf' }

/** Every way to a file, and what is answered by each. */
async function waysTo(client: Client, id: string): Promise<Record<string, number>> {
  const [bytes, info, link, retry] = await Promise.all([
    client.get(`/api/media/${id}`),
    client.get(`/api/media/${id}/info`),
    client.post(`/api/media/${id}/link`),
    client.post(`/api/media/${id}/retry`),
  ])
  return { bytes: bytes.status, info: info.status, link: link.status, retry: retry.status }
}

const HIDDEN = { bytes: 404, info: 404, link: 404, retry: 404 }
const SEEN = { bytes: 200, info: 200, link: 200, retry: 409 }

const assign = async (userId: string | null): Promise<void> => {
  const { status } = await (
    await world.as('admin')
  ).put(`/api/contacts/${message['contact_id']}/assign`, { user_id: userId })
  expect(status).toBe(200)
}

describe('the file of a message', () => {
  test('is visible to those who see its contact, only while the contact is assigned to them', async () => {
    const agent = await world.as('agent')
    const manager = await world.as('manager')
    for (const id of [mediaId, message['id'] as string]) {
      expect(await waysTo(manager, id)).toEqual(SEEN)
      expect(await waysTo(agent, id)).toEqual(HIDDEN)
    }
    await assign(world.tenant.userIds.agent)
    for (const id of [mediaId, message['id'] as string])
      expect(await waysTo(agent, id)).toEqual(SEEN)
    await assign(null)
    for (const id of [mediaId, message['id'] as string])
      expect(await waysTo(agent, id)).toEqual(HIDDEN)
  })

  test('a link stops working when the assignment of its creator ends', async () => {
    await assign(world.tenant.userIds.agent)
    const { data } = await (await world.as('agent')).post(`/api/media/${mediaId}/link`)
    const path = new URL(String(data['url'])).pathname
    expect((await world.anyone.get(path)).status).toBe(200)
    await assign(null)
    expect((await world.anyone.get(path)).status).toBe(404)
  })

  test('is not found by another organization or with another ID', async () => {
    const other = await world.as('admin', world.other)
    for (const id of [mediaId, message['id'] as string])
      expect(await waysTo(other, id)).toEqual(HIDDEN)
    expect(await waysTo(await world.as('admin'), '01900000-0000-7000-8000-00000000ffff')).toEqual(
      HIDDEN,
    )
    expect((await (await world.as('admin')).get('/api/media/not-an-id')).status).toBe(400)
  })

  test('cannot be forwarded by a member who cannot see it', async () => {
    const { data: contact } = await (
      await world.as('admin')
    ).post('/api/contacts', { phone_number: '+4915112345678' })
    await (
      await world.as('admin')
    ).put(`/api/contacts/${contact['id']}/assign`, { user_id: world.tenant.userIds.agent })
    const answer = await (
      await world.as('agent')
    ).post(`/api/contacts/${contact['id']}/messages`, { type: 'image', media_id: mediaId })
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: 'body.media_id' }] } })
  })

  test('own uploads can be read only with messages:read', async () => {
    const person = await personWith(world, [
      'messages:create',
      'contacts:read',
      'contacts:read_all',
    ])
    const own = await upload(person.client, PDF)
    expect((await person.client.get(`/api/media/${own.data['id']}`)).status).toBe(403)
    person.may('messages:create', 'messages:read')
    expect((await person.client.get(`/api/media/${own.data['id']}`)).status).toBe(200)
    expect(await waysTo(person.client, mediaId)).toEqual(HIDDEN)
  })
})

describe('an upload', () => {
  test('is visible only to its creator and to members who see all contacts', async () => {
    const { data } = await upload(await world.as('agent'), PDF)
    expect((await (await world.as('agent')).get(`/api/media/${data['id']}`)).status).toBe(200)
    expect((await (await world.as('manager')).get(`/api/media/${data['id']}`)).status).toBe(200)
    const other = await personWith(world, ['messages:read', 'messages:create', 'contacts:read'])
    expect((await other.client.get(`/api/media/${data['id']}`)).status).toBe(404)
    expect(
      (await (await world.as('admin', world.other)).get(`/api/media/${data['id']}`)).status,
    ).toBe(404)
  })

  test('of another organization cannot be sent', async () => {
    const { data } = await upload(await world.as('admin', world.other), PDF)
    const body = { type: 'document', media_id: data['id'] }
    const answer = await (
      await world.as('admin')
    ).post(`/api/contacts/${message['contact_id']}/messages`, body)
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: 'body.media_id' }] } })
  })

  test('can be deleted by its creator, and otherwise only with contacts:delete', async () => {
    const agent = await world.as('agent')
    const { data } = await upload(agent, PDF)
    const [row] = world.rows('select stored_as from media where id = ?', data['id'] as string)
    const other = await personWith(world, ['messages:read', 'messages:create', 'contacts:read'])
    expect((await other.client.delete(`/api/media/${data['id']}`)).status).toBe(404)
    other.may('messages:read', 'messages:create', 'contacts:read', 'contacts:read_all')
    expect(await other.client.delete(`/api/media/${data['id']}`)).toMatchObject({
      status: 403,
      body: { code: 'permission_denied' },
    })
    expect((await agent.delete(`/api/media/${data['id']}`)).status).toBe(200)
    expect((await agent.get(`/api/media/${data['id']}/info`)).status).toBe(404)
    expect((await agent.delete(`/api/media/${data['id']}`)).status).toBe(404)
    await world.settle()
    expect(await world.program.http.files.has(row?.['stored_as'] as string)).toBe(false)
  })

  test('that was sent can be deleted only with contacts:delete, with an audit entry; the message stays', async () => {
    const manager = await world.as('manager')
    const person = await personWith(world, [
      'messages:read',
      'messages:create',
      'contacts:read',
      'contacts:read_all',
    ])
    const { data } = await upload(person.client, PDF)
    const sent = await person.client.post(`/api/contacts/${message['contact_id']}/messages`, {
      type: 'document',
      media_id: data['id'],
    })
    expect(sent.status).toBe(201)
    await world.settle()
    expect((await person.client.delete(`/api/media/${data['id']}`)).status).toBe(403)
    expect((await manager.delete(`/api/media/${data['id']}`)).status).toBe(200)
    await world.settle()
    expect(await manager.get(`/api/media/${data['id']}`)).toMatchObject({
      status: 404,
      body: { code: 'media_expired' },
    })
    expect((await manager.get(`/api/messages/${sent.data['id']}`)).data['media']).toMatchObject({
      state: 'expired',
      url: null,
      filename: null,
    })
    const { data: log } = await (await world.as('admin')).get('/api/audit-logs?resource_type=media')
    expect(
      (log['items'] as Loose[]).map((entry) => [entry['action'], entry['resource_id']]),
    ).toEqual([['deleted', data['id']]])
  })
})
