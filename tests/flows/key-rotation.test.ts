import { describe, expect, test } from 'bun:test'
import { createHmac, hkdfSync } from 'node:crypto'

import { createProgram, type Program } from '../../src/container'
import { wrapDb } from '../../src/infra/db/connection'
import { requireReadableSecrets, rotationProgress } from '../../src/infra/keys/keyring'
import { keyIdOf } from '../../src/lib/secret'
import { rotateSecrets } from '../../src/modules/operation/system/key-rotation/rotate'
import { Client, type Loose } from '../support/client'
import { countingIds } from '../support/clock'
import { host } from '../support/hosting'
import { ERASED, furnished, sealedValues } from '../support/encrypted-world'
import { handIn, reportOf } from '../support/imports'
import { codeOf } from '../support/second-factor'
import { APP_SECRET, PASSWORD, ROOT_KEY, VERIFY_TOKEN, World } from '../support/world'

const NEW_KEY = Buffer.alloc(32, 9)
let restarts = 0

/** The program of a world as it starts with other root keys. */
function restarted(world: World, roots: { current: Buffer; previous: Buffer | null }): Program {
  const { log, random, platform, files, db } = world.program.http
  const program = createProgram(
    world.config,
    { roots, webhookVerifyToken: VERIFY_TOKEN, appSecrets: [APP_SECRET] },
    {
      clock: world.clock,
      ids: countingIds((restarts += 1) * 500_000),
      random,
      log,
      db: wrapDb(db.sqlite, { synchronous: 'normal', cacheMib: 8 }),
      platform,
      files,
    },
    null,
  )
  requireReadableSecrets(program.http)
  rotateSecrets(program.http)
  return program
}

const settle = (program: Program): Promise<unknown> =>
  program.worker.runUntilIdle(() => program.relay.drain())

const keyIdsOf = (world: World): string[] => [
  ...new Set(sealedValues(world.program.http.db.sqlite).map(keyIdOf)),
]

/**
 * Adds a key of digests, so that those that are there were made with an older one, as in a database
 * of an earlier version.
 */
function addDigestKey(world: World): void {
  const sealed = world.program.http.vault.seal(
    Buffer.alloc(32, 5).toString('base64'),
    'digest_keys',
  )
  world.rows(
    'insert into digest_keys (sealed, created_at_ms) values (?, ?)',
    sealed,
    world.clock.nowMs(),
  )
}

describe('a rotated root key', () => {
  test.each([
    ['', () => undefined],
    [', also where the digests were made with an older key', addDigestKey],
  ] as const)(
    'replaces the removed former key for all encrypted values and digests%s',
    async (_what, age) => {
      const { world, person, factor, first, waitingId } = await furnished()
      await using _ = world
      age(world)
      const before = keyIdsOf(world)
      expect(before).toHaveLength(1)
      expect(sealedValues(world.program.http.db.sqlite).length).toBeGreaterThan(9)

      const rotating = restarted(world, { current: NEW_KEY, previous: ROOT_KEY })
      await settle(rotating)
      const after = keyIdsOf(world)
      expect([after.length, after[0] === before[0]]).toEqual([1, false])
      expect(
        world.logLines.filter((line) => line.includes('SECRET_KEY_PREVIOUS can be removed')),
      ).toHaveLength(1)

      const rotated = restarted(world, { current: NEW_KEY, previous: null })
      const hosted = host(rotated)
      try {
        const anyone = new Client(`http://127.0.0.1:${hosted.port}`)
        const signIn = async (email: string, code?: string): Promise<Client> => {
          const { data } = await anyone.post('/api/auth/login', {
            email,
            password: PASSWORD,
            ...(code === undefined ? {} : { code }),
          })
          return anyone.with({ authorization: `Bearer ${data['access_token']}` })
        }
        // A code of the app, and a backup code.
        expect(
          (await (await signIn(person.email, codeOf(world, factor.secret))).get('/api/me')).status,
        ).toBe(200)
        expect(
          (await (await signIn(person.email, factor.backupCodes[0])).get('/api/me')).status,
        ).toBe(200)
        const admin = await signIn(world.emailOf('admin', world.tenant))
        // A repeated key.
        const repeated = await admin
          .with({ 'idempotency-key': 'only-once' })
          .post('/api/contacts', { phone_number: '15550700012' })
        expect([
          repeated.status,
          repeated.data['id'],
          repeated.headers.get('idempotent-replay'),
        ]).toEqual([201, first.data['id'], 'true'])
        // Somebody who was erased.
        const { data: job } = await handIn(admin, {
          file: `phone_number,name\n+${ERASED},Zacharias\n`,
        })
        await settle(rotated)
        expect(
          (await reportOf(admin, job)).map(({ outcome, errors }) => [
            outcome,
            (errors as Loose[])[0]?.['message'],
          ]),
        ).toEqual([['failed', expect.stringContaining('suppressed')]])
        // A one-time code that waited, sent with the token of its number.
        await admin.post('/api/outbox/resume', { account_id: world.tenant.accountId })
        await settle(rotated)
        expect((await admin.get(`/api/messages/${waitingId}`)).data['status']).toBe('sent')
        expect(JSON.stringify(world.simulator.calls)).toContain('837465')
      } finally {
        await hosted.end()
      }
    },
  )

  test('prevents a start without a key that is still in use', async () => {
    const { world } = await furnished()
    await using _ = world
    const start = (current: Buffer, previous: Buffer | null) => () =>
      restarted(world, { current, previous })
    expect(start(NEW_KEY, null)).toThrow('is not the key this database was encrypted with')
    restarted(world, { current: NEW_KEY, previous: ROOT_KEY }) // ends before its job ran
    expect(start(NEW_KEY, null)).toThrow('Set SECRET_KEY_PREVIOUS')
    expect(start(ROOT_KEY, null)).toThrow('is not the key this database')
    await settle(restarted(world, { current: NEW_KEY, previous: ROOT_KEY }))
    expect(start(ROOT_KEY, null)).toThrow('is not the key')
    start(NEW_KEY, null)()
    // Back to the former key works the same way.
    await settle(restarted(world, { current: ROOT_KEY, previous: NEW_KEY }))
    expect(keyIdsOf(world)).toHaveLength(1)
    start(ROOT_KEY, null)()
  })

  test('survives a rotation back before its job has ended, without mixing up the two rotations', async () => {
    const { world } = await furnished()
    await using _ = world
    restarted(world, { current: NEW_KEY, previous: ROOT_KEY })
    // It has come to the last table when the server is started with the former key again.
    world.rows(
      "update jobs set args = json_set(args, '$.table', 'idempotency_keys') where kind = 'system.reencrypt-secrets'",
    )
    const [first] = world.rows<{ id: string }>(
      "select id from jobs where kind = 'system.reencrypt-secrets'",
    )
    const back = restarted(world, { current: ROOT_KEY, previous: NEW_KEY })
    world.rows(
      "delete from jobs where kind = 'system.reencrypt-secrets' and id <> ?",
      first?.id ?? '',
    )
    await settle(back)
    expect(rotationProgress(back.http).isUnderway).toBe(true)
    await settle(restarted(world, { current: ROOT_KEY, previous: NEW_KEY }))
    expect(rotationProgress(back.http).isUnderway).toBe(false)
    expect(keyIdsOf(world)).toHaveLength(1)
  })

  test('keeps digests of an earlier version, made with a key derived from the root key', async () => {
    await using world = await World.create({ isConnected: false })
    world.rows('delete from digest_keys')
    world.rows('delete from root_keys')
    const upgraded = restarted(world, { current: ROOT_KEY, previous: null })
    const [newest, derived] = upgraded.http.vault.codeDigests('somebody')
    await settle(restarted(world, { current: NEW_KEY, previous: ROOT_KEY }))
    expect(
      restarted(world, { current: NEW_KEY, previous: null }).http.vault.codeDigests('somebody'),
    ).toEqual([String(newest), String(derived)])
    const formerKey = Buffer.from(
      hkdfSync('sha256', ROOT_KEY, Buffer.alloc(0), 'switchboard/short-codes', 32),
    )
    expect(derived).toBe(createHmac('sha256', formerKey).update('somebody').digest('hex'))
  })
})
