import { describe, expect, test } from 'bun:test'
import {
  createPublicKey,
  createPrivateKey,
  constants,
  privateDecrypt,
  publicEncrypt,
} from 'node:crypto'

import type { Loose } from '../../../support/client'
import { World } from '../../../support/world'

const pathTo = (world: World, action = '/flow-key'): string =>
  `/api/accounts/${world.tenant.accountId}${action}`

describe('the Flow key pair of a number', () => {
  test('is created; the public key goes to the platform and the private key is nowhere in plain text', async () => {
    await using world = await World.create()
    const manager = await world.as('manager')
    expect((await manager.get(pathTo(world))).data).toEqual({
      public_key: null,
      signature_status: null,
      created_at: null,
    })
    const { data } = await manager.post(pathTo(world))
    expect(data).toMatchObject({
      signature_status: 'VALID',
      created_at: '2026-11-21T09:30:00.000Z',
    })
    const key = createPublicKey(String(data['public_key']))
    expect([key.asymmetricKeyType, key.asymmetricKeyDetails?.modulusLength]).toEqual(['rsa', 2_048])
    expect(world.simulator.storedKeys(world.tenant.phoneId).publicKey).toBe(
      String(data['public_key']),
    )
    expect((await (await world.as('agent')).get(pathTo(world))).data).toEqual(data)
    expect((await manager.get(pathTo(world, ''))).data).toMatchObject({ has_flow_key: true })
    const log = await (await world.as('admin')).get('/api/audit-logs?action=flow_key_renewed')
    expect(log.data['total']).toBe(1)
    const stored = Buffer.from(world.program.http.db.sqlite.serialize()).toString('latin1')
    for (const text of [stored, JSON.stringify([log.body, world.logLines])])
      expect(text).not.toContain('PRIVATE KEY')
  })

  test('decrypts what was encrypted with its public key', async () => {
    await using world = await World.create()
    const { data } = await (await world.as('admin')).post(pathTo(world))
    const [row] = world.rows<{ sealed: string }>(
      'select flow_private_key_sealed as sealed from accounts where id = ?',
      String(world.tenant.accountId),
    )
    const place = `${world.tenant.id}/accounts/flowPrivateKeySealed/${world.tenant.accountId}`
    const privateKey = createPrivateKey(world.program.http.vault.open(String(row?.sealed), place))
    const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
    const secret = publicEncrypt(
      { key: String(data['public_key']), ...padding },
      Buffer.from('sixteen bytes ..'),
    )
    expect(privateDecrypt({ key: privateKey, ...padding }, secret).toString()).toBe(
      'sixteen bytes ..',
    )
  })

  test('is replaced by a new one', async () => {
    await using world = await World.create()
    const admin = await world.as('admin')
    const first = (await admin.post(pathTo(world))).data['public_key'] as string
    const second = (await admin.post(pathTo(world))).data['public_key'] as string
    expect(second).not.toBe(first)
    expect(world.simulator.storedKeys(world.tenant.phoneId).publicKey).toBe(second)
  })

  test('stays unchanged if the platform rejects it (400) or is unreachable (503)', async () => {
    await using world = await World.create()
    const admin = await world.as('admin')
    const { data } = await admin.post(pathTo(world))
    world.simulator.fail({ code: 100 }, { route: 'encryption' })
    expect(await admin.post(pathTo(world))).toMatchObject({
      status: 400,
      body: { code: 'platform_rejected', details: { platform_code: 100 } },
    })
    world.simulator.answerHtml(502, { route: 'encryption' })
    expect(await admin.post(pathTo(world))).toMatchObject({
      status: 503,
      body: { code: 'platform_unreachable' },
    })
    expect((await admin.get(pathTo(world))).data).toEqual(data)
    expect(
      (await admin.post('/api/accounts/01900000-0000-7000-8000-ffffffffffff/flow-key')).status,
    ).toBe(404)
    expect((await (await world.as('agent')).post(pathTo(world))).status).toBe(403)
  })

  test("is stored if only the platform's response is lost", async () => {
    await using world = await World.create()
    const admin = await world.as('admin')
    world.simulator.loseAnswer({ route: 'encryption' })
    const { data } = await admin.post(pathTo(world))
    expect(world.simulator.storedKeys(world.tenant.phoneId).publicKey).toBe(
      String(data['public_key']),
    )
    expect((await admin.get(pathTo(world))).data).toEqual(data)
  })

  test('is reported as a mismatch if the platform has another key at the health check', async () => {
    await using world = await World.create()
    const admin = await world.as('admin')
    await admin.post(pathTo(world))
    world.simulator.deleteKey(world.tenant.phoneId)
    await admin.post(pathTo(world, '/test'))
    expect((await admin.get(pathTo(world))).data).toMatchObject({ signature_status: 'MISMATCH' })
  })

  test('is deleted when the number is disconnected or replaced', async () => {
    await using world = await World.create()
    const admin = await world.as('admin')
    await admin.post(pathTo(world))
    world.simulator.addPhone({ id: '301000000000009', token: world.tenant.token })
    await admin.put(pathTo(world, ''), { phone_id: '301000000000009' })
    expect((await admin.get(pathTo(world, ''))).data).toMatchObject({ has_flow_key: false })
    await admin.post(pathTo(world))
    await admin.delete(pathTo(world, ''))
    const keys = world.rows<Loose>(
      'select flow_private_key_sealed, flow_public_key from accounts where id = ?',
      String(world.tenant.accountId),
    )
    expect(keys).toEqual([{ flow_private_key_sealed: null, flow_public_key: null }])
  })
})
