import { expect, test } from 'bun:test'

import { upload } from '../../../support/files'
import {
  archiveOf,
  columnOf,
  packed,
  PASSPHRASE,
  type TestArchive,
} from '../../../support/organization-archive'
import { World } from '../../../support/world'

/**
 * Two organizations name the same person: the first one as a former member, the second one as a member.
 * They arrive one after the other.
 */
test('an import changes no person whom another organization names', async () => {
  await using source = await World.create()
  await using target = await World.create({ names: ['Crux'], firstId: 1_000_000 })
  const { tenant: first, other: second } = source
  const admin = await source.as('admin')
  const { agent: person } = second.userIds
  const member = { email: source.emailOf('agent', second) }
  expect((await admin.post('/api/organizations/members', member)).status).toBe(201)
  expect((await admin.delete(`/api/organizations/members/${person}`)).status).toBe(200)
  await source.settle()

  const imported = async (
    archive: TestArchive,
    meanwhile: () => void = () => undefined,
  ): Promise<unknown> => {
    const superAdmin = await target.as('super')
    const { data } = await upload(superAdmin, {
      ...{ bytes: await packed(archive), path: '/api/admin/organizations/import' },
      ...{ name: 'a.zip', type: 'application/zip' },
      fields: { passphrase: PASSPHRASE, dry_run: 'false' },
    })
    meanwhile()
    await target.work()
    return (await superAdmin.get(`/api/admin/organizations/imports/${data['id']}`)).data['state']
  }
  const named = () => target.rows('select full_name as name from users where id = ?', person)

  expect(await imported(await archiveOf(source, first))).toBe('completed')
  expect(named()).toEqual([{ name: 'Bolt agent' }])

  const archive = await archiveOf(source, second)
  const [id, name] = ['id', 'full_name'].map((column) => columnOf(archive, 'users', column)) as [
    number,
    number,
  ]
  const people = archive.parts.get('users') as unknown[][]
  archive.parts.set(
    'users',
    people.map((line) => (line[id] === person ? line.with(name, 'Another name') : line)),
  )
  // The last step fails, because another organization connects the number.
  const setNumber = (phoneId: string) =>
    target.rows(
      'update accounts set phone_id = ? where organization_id = ?',
      ...[phoneId, target.tenant.id],
    )
  expect(await imported(archive, () => setNumber(second.phoneId))).toBe('failed')
  setNumber(target.tenant.phoneId)
  await target.settle()
  expect(named()).toEqual([{ name: 'Bolt agent' }])

  expect(await imported(archive)).toBe('completed')
  expect(named()).toEqual([{ name: 'Bolt agent' }])
  const there = await target.signIn(source.emailOf('agent', second))
  expect((await there.get('/api/me')).data).toMatchObject({ full_name: 'Another name' })
})
