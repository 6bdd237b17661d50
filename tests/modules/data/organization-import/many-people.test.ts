import { expect, test } from 'bun:test'

import { changeRows } from '../../../support/sql'
import { columnOf, packed, smallArchive } from '../../../support/organization-archive'
import { upload } from '../../../support/files'
import { World } from '../../../support/world'

const PEOPLE = 25

/** Thousands of people in the transaction of the last step would hold the server for a second. */
test('people who have to confirm are asked after the organization works, each once', async () => {
  await using source = await World.create()
  const env = { SMTP_URL: 'smtp://127.0.0.1:9', BASE_URL: 'https://chat.example.com' }
  await using target = await World.create({ names: ['Crux'], firstId: 1_000_000, env })
  const archive = await smallArchive(source)
  const at = (table: string, column: string): number => columnOf(archive, table, column)
  const [users, members] = ['users', 'memberships'].map((table) => archive.parts.get(table)) as [
    unknown[][],
    unknown[][],
  ]
  const [person = [], member = []] = [users.at(-1), members.at(-1)]
  const { db } = target.program.http
  const emailOf = (nth: number): string => `person${nth}@example.com`
  for (let nth = 0; nth < PEOPLE; nth += 1) {
    const id = (kind: number): string =>
      `01a00000-0000-700${kind}-8000-0000000000${String(nth).padStart(2, '0')}`
    users.push(person.with(at('users', 'id'), id(1)).with(at('users', 'email'), emailOf(nth)))
    members.push(
      member.with(at('memberships', 'id'), id(2)).with(at('memberships', 'user_id'), id(1)),
    )
    // The same e-mail, with another password.
    changeRows(
      db.sqlite,
      `insert into users (id, email, password_hash, full_name, created_at_ms, updated_at_ms)
       select ?, ?, password_hash, full_name, created_at_ms, updated_at_ms from users limit 1`,
      [id(3), emailOf(nth)],
    )
  }
  const { status } = await upload(await target.as('super'), {
    ...{ bytes: await packed(archive), path: '/api/admin/organizations/import' },
    ...{ name: 'a.zip', type: 'application/zip', fields: { dry_run: 'false' } },
  })
  expect(status).toBe(202)
  const invited = () =>
    target.rows('select email, count(*) as n from invitations group by email order by email')
  // As if the process were killed after some were asked.
  const { beforeCommit } = db
  let killed = 0
  Object.assign(db, {
    beforeCommit: (...args: Parameters<typeof beforeCommit>) => {
      if (killed === 0 && invited().length > 10) {
        killed += 1
        throw new Error('interrupted')
      }
      beforeCommit(...args)
    },
  })
  await target.work()
  expect([killed, invited().length]).toEqual([1, 10])
  expect(target.rows('select state from organization_imports')).toEqual([{ state: 'completed' }])
  target.clock.advance({ minutes: 20 })
  await target.settle()
  expect(invited()).toEqual(
    Array.from({ length: PEOPLE }, (_, nth) => ({ email: emailOf(nth), n: 1 })).toSorted((a, b) =>
      a.email < b.email ? -1 : 1,
    ),
  )
  expect(target.rows('select 1 from organization_import_users')).toEqual([])
})
