import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'

import { SAMPLES } from '../../../../src/simulator/sample-files'
import type { Answer, Client, Loose } from '../../../support/client'
import { fetchRaw } from '../../../support/files'
import { World } from '../../../support/world'

let world: World
let admin: Client

beforeAll(async () => {
  world = await World.create({ isConnected: false })
  admin = await world.as('admin')
})
afterAll(() => world.stop())

const PATH = '/api/organizations/branding'
const SVG = new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"/>')

/** Returns a PNG image of this size. */
const image = (width: number, height: number): Promise<Uint8Array> =>
  new Bun.Image(SAMPLES['image/jpeg']).resize(width, height).png().bytes()

/** Sends a form with a logo, as a browser does. */
async function sendLogo(bytes: Uint8Array, client = admin): Promise<Answer<Loose>['body']> {
  const form = new FormData()
  form.set('logo', new File([new Uint8Array(bytes)], 'logo.png', { type: 'image/png' }))
  const response = await fetch(world.url + PATH, {
    method: 'PUT',
    body: form,
    headers: client.headers,
  })
  return (await response.json()) as Answer<Loose>['body']
}
const storedFile = (): string | null => {
  const [row] = world.rows<{ stored_as: string | null }>(
    'select stored_as from organization_branding',
  )
  return row?.stored_as == null ? null : `${world.filesFolder}/${row.stored_as}`
}

describe('the branding of an organization', () => {
  test('is empty at first and readable by everybody in the organization', async () => {
    const empty = { name: 'Acme', logo_url: null, accent: null }
    expect((await (await world.as('agent')).get(PATH)).data).toEqual(empty)
    expect((await world.anyone.get(PATH)).status).toBe(401)
  })

  test('has a logo at a public address that nobody can guess', async () => {
    const { data } = await sendLogo(await image(300, 100))
    const address = String(data['logo_url'])
    expect(address).toMatch(/^\/api\/logos\/[0-9a-f]{32}$/)
    const logo = await fetchRaw(world.anyone, address)
    expect([logo.status, logo.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(Object.fromEntries(logo.headers)).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    })
    const unknown = await world.anyone.get(`/api/logos/${'0'.repeat(32)}`)
    expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found'])
    expect((await world.anyone.get('/api/logos/..%2f..%2fetc')).status).toBe(400)
    expect((await (await world.as('admin', world.other)).get(PATH)).data['logo_url']).toBeNull()
  })

  test('deletes the former logo, and all of it with null', async () => {
    const former = {
      path: storedFile() ?? '',
      url: (await admin.get(PATH)).data['logo_url'] as string,
    }
    await sendLogo(await image(40, 40))
    await world.settle()
    expect([existsSync(former.path), existsSync(storedFile() ?? '')]).toEqual([false, true])
    expect((await world.anyone.get(former.url)).status).toBe(404)
    const last = storedFile() ?? ''
    expect((await admin.put(PATH, { logo: null })).data).toMatchObject({ logo_url: null })
    await world.settle()
    expect(existsSync(last)).toBe(false)
  })

  test('has a color on which white text can be read', async () => {
    expect((await admin.put(PATH, { accent: '#0A5C36' })).data).toMatchObject({ accent: '#0A5C36' })
    for (const accent of ['#ffff00', '#999999', 'red', '#12345', '', 5]) {
      const { status, body } = await admin.put(PATH, { accent })
      expect([accent, status, body.errors?.[0]?.path]).toEqual([accent, 400, 'body.accent'])
    }
    expect((await admin.put(PATH, { accent: '#767676' })).status).toBe(200)
    expect((await admin.put(PATH, { accent: null })).data).toMatchObject({ accent: null })
  })

  test('refuses other files, large images and callers without the permission', async () => {
    for (const bytes of [
      SVG,
      SAMPLES['application/pdf'],
      await image(2_001, 10),
      new Uint8Array(9),
    ])
      expect(await sendLogo(bytes)).toMatchObject({
        code: 'invalid_input',
        errors: [{ path: 'body.logo' }],
      })
    expect(await sendLogo(new Uint8Array(512 * 1_024 + 1))).toMatchObject({
      code: 'body_too_large',
    })
    expect((await admin.put(PATH, {})).status).toBe(400)
    expect(await sendLogo(await image(9, 9), await world.as('agent'))).toMatchObject({
      code: 'permission_denied',
    })
    expect(storedFile()).toBeNull()
  })

  test('is recorded in the audit log', () => {
    const entries = world.rows<{ changes: string }>(
      `select changes from audit_logs where resource_type = 'branding'`,
    )
    expect(entries.length).toBe(6)
    expect(entries.map(({ changes }) => changes).join(' ')).toContain('#0A5C36')
  })
})
