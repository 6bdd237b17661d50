import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'

import { SAMPLES } from '../../../../src/simulator/sample-files'
import type { Client, Loose } from '../../../support/client'
import { fetchRaw, upload } from '../../../support/files'
import { World } from '../../../support/world'

let world: World
let manager: Client

beforeAll(async () => {
  world = await World.create()
  manager = await world.as('manager')
})
afterAll(() => world.stop())

/** Returns an image of this size with noise in it, which compresses badly. */
async function picture(width: number, height: number): Promise<Uint8Array> {
  const [columns, rows] = [64, 64]
  const pixels = Uint8Array.from({ length: columns * rows * 3 }, (_, nth) => (nth * 7919) % 251)
  const header = Buffer.alloc(54)
  header.write('BM')
  header.writeUInt32LE(54 + pixels.length, 2)
  header.writeUInt32LE(54, 10)
  header.writeUInt32LE(40, 14)
  header.writeInt32LE(columns, 18)
  header.writeInt32LE(rows, 22)
  header.writeUInt16LE(1, 26)
  header.writeUInt16LE(24, 28)
  return await new Bun.Image(Buffer.concat([header, pixels])).resize(width, height).jpeg().bytes()
}

const uploaded = async (bytes: Uint8Array, type: string): Promise<string> =>
  String((await upload(manager, { bytes, type, name: 'file' })).data['id'])
const thumbnail = (id: string, headers = {}): Promise<Response> =>
  fetchRaw(manager, `/api/media/${id}/thumbnail`, headers)
const pathOf = (id: string): string => {
  const [row] = world.rows<{ stored_as: string }>('select stored_as from media where id = ?', id)
  return `${world.filesFolder}/${row?.stored_as}`
}

describe('a thumbnail', () => {
  test('is a small WebP image in the proportions of the image', async () => {
    const id = await uploaded(await picture(2_400, 1_200), 'image/jpeg')
    const response = await thumbnail(id)
    const bytes = await response.bytes()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('image/webp')
    expect(bytes.length).toBeLessThanOrEqual(20 * 1_024)
    expect(await new Bun.Image(bytes).metadata()).toMatchObject({ width: 320, height: 160 })
    const etag = response.headers.get('etag') ?? ''
    expect((await thumbnail(id, { 'if-none-match': etag })).status).toBe(304)
    expect((await fetchRaw(manager, `/api/media/${id}`)).headers.get('etag')).not.toBe(etag)
  })

  test('of a small image is not larger than the image', async () => {
    const id = await uploaded(await picture(40, 20), 'image/jpeg')
    const bytes = await (await thumbnail(id)).bytes()
    expect(await new Bun.Image(bytes).metadata()).toMatchObject({ width: 40, height: 20 })
  })

  test('is made once by many requests at the same time, and deleted with its file', async () => {
    const id = await uploaded(await picture(1_000, 1_000), 'image/jpeg')
    const all = await Promise.all(Array.from({ length: 8 }, () => thumbnail(id)))
    expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
    const kept = `${pathOf(id)}.webp`
    expect(existsSync(kept)).toBe(true)
    await manager.delete(`/api/media/${id}`)
    await world.settle()
    expect(existsSync(kept)).toBe(false)
    expect((await thumbnail(id)).status).toBe(404)
  })

  test('exists of images only: not of documents, huge and unreadable images', async () => {
    const pdf = await uploaded(SAMPLES['application/pdf'], 'application/pdf')
    const refused = await manager.get(`/api/media/${pdf}/thumbnail`)
    expect([refused.status, refused.body.code]).toEqual([404, 'no_thumbnail'])
    const huge = await uploaded(await picture(7_000, 7_000), 'image/jpeg')
    expect((await manager.get(`/api/media/${huge}/thumbnail`)).body.code).toBe('no_thumbnail')
    const broken = await uploaded(await picture(300, 300), 'image/jpeg')
    await Bun.write(pathOf(broken), 'no image')
    expect((await manager.get(`/api/media/${broken}/thumbnail`)).body.code).toBe('no_thumbnail')
  })

  test('is named in messages with the measures of the file', async () => {
    const contact = await world.contactOf()
    const url = `/api/contacts/${contact['id']}/messages`
    const mediaId = await uploaded(await picture(600, 400), 'image/jpeg')
    const socket = await world.socket('manager')
    const sent = (await manager.post(url, { type: 'image', media_id: mediaId })).data
    expect(sent['media']).toMatchObject({
      width: 600,
      height: 400,
      duration_ms: null,
      thumbnail_url: `/api/media/${mediaId}/thumbnail`,
    })
    await socket.caughtUp()
    expect(socket.events('message:new')[0]?.payload['media']).toEqual(sent['media'])
    const byMessage = await fetchRaw(manager, `/api/media/${sent['id']}/thumbnail`)
    expect(byMessage.status).toBe(200)
    const pdf = await uploaded(SAMPLES['application/pdf'], 'application/pdf')
    const other = (await manager.post(url, { type: 'document', media_id: pdf })).data
    expect((other['media'] as Loose)['thumbnail_url']).toBeNull()
  })

  test('is visible to those who see the file', async () => {
    const id = await uploaded(await picture(200, 100), 'image/jpeg')
    for (const client of [await world.as('agent'), await world.as('admin', world.other)])
      expect((await client.get(`/api/media/${id}/thumbnail`)).status).toBe(404)
  })
})
