import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import {
  archivedSecretContext,
  createArchiveKey,
  sealerOf,
} from '../../../src/modules/organization-archive/archive-secrets'
import type { Loose } from '../../support/client'
import { upload } from '../../support/files'
import {
  archiveOf,
  columnOf,
  packed,
  PASSPHRASE,
  type TestArchive,
} from '../../support/organization-archive'
import { World } from '../../support/world'

/** An archive that somebody wrote to do harm where it is imported. */
let source: World
let target: World

beforeAll(async () => {
  source = await World.create()
  target = await World.create({ names: ['Crux'], firstId: 1_000_000 })
})
afterAll(async () => {
  await source.stop()
  await target.stop()
})

async function imported(archive: TestArchive): Promise<Loose> {
  const superAdmin = await target.as('super')
  const started = await upload(superAdmin, {
    ...{ bytes: await packed(archive), path: '/api/admin/organizations/import', name: 'a.zip' },
    type: 'application/zip',
    fields: { passphrase: PASSPHRASE, dry_run: 'false' },
  })
  expect(started.status).toBe(202)
  await target.work()
  return (await superAdmin.get(`/api/admin/organizations/imports/${started.data['id']}`)).data
}

describe('an imported password hash', () => {
  test('that costs more than a sign-in can pay has to be reset', async () => {
    const archive = await archiveOf(source, source.tenant)
    const { key } = await createArchiveKey(PASSPHRASE, (bytes) => new Uint8Array(bytes).fill(7))
    const hashes = columnOf(archive, 'users', 'password_hash')
    const people: Record<string, string> = {
      admin: 'm=1048576,t=20,p=1',
      manager: 'm=524288,t=3,p=1',
      agent: 'm=1024,t=2,p=1',
    }
    for (const [person, cost] of Object.entries(people)) {
      const email = source.emailOf(person as 'admin', source.tenant)
      const line = (archive.parts.get('users') as unknown[][]).find((values) =>
        values.includes(email),
      )
      if (!line) throw new Error(email)
      const [own] = source.rows<{ hash: string }>(
        'select password_hash as hash from users where email = ?',
        email,
      )
      line[hashes] = sealerOf(key).seal(
        (own?.hash ?? '').replace('m=1024,t=2,p=1', cost),
        archivedSecretContext({
          ...{ organizationId: source.tenant.id, table: 'users', column: 'password_hash' },
          key: [line[columnOf(archive, 'users', 'id')]],
        }),
      )
    }
    expect((await imported(archive))['state']).toBe('completed')
    const costs = target
      .rows<{ hash: string }>(
        `select password_hash as hash from users u join memberships m on m.user_id = u.id
         where m.organization_id = ?`,
        source.tenant.id,
      )
      .map(({ hash }) => hash.split('$')[3])
    expect(new Set(costs)).toEqual(new Set(['m=1024,t=2,p=1']))
    expect((await target.signIn(source.emailOf('agent', source.tenant))).token).toBeString()
  })
})
