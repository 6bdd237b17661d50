import { expect, test } from 'bun:test'

import { dump } from '../../../support/dump'
import { upload } from '../../../support/files'
import { WorldPair } from '../../../support/moves'
import { archiveOf, packed, PASSPHRASE } from '../../../support/organization-archive'
import { changeRows } from '../../../support/sql'
import { World, type Tenant } from '../../../support/world'

const MARKER = 'Plantedmarkerqz'

/** Tables with a row that holds a text. */
const tablesWith = ({ program }: World, text: string): string[] =>
  Object.entries(dump(program.http.db.sqlite)).flatMap(([table, rows]) =>
    JSON.stringify(rows).toLowerCase().includes(text.toLowerCase()) ? table : [],
  )

/** Erases an organization at once. */
async function erase(world: World, id: string): Promise<void> {
  const [row] = world.rows('select slug from organizations where id = ?', id)
  const { status } = await (
    await world.as('super')
  ).request('DELETE', `/api/organizations/${id}`, { confirm: row?.['slug'], erase_now: true })
  expect(status).toBe(200)
  for (let round = 0; round < 3; round += 1) {
    await world.settle()
    world.clock.advance({ minutes: 2 })
  }
}

/** Bodies of the notifications of the manager, who is a super admin. */
async function bodiesOf(world: World): Promise<string> {
  const { data } = await (await world.as('manager')).get('/api/me/notifications')
  return JSON.stringify(data['items'])
}

test('the name of an organization that moves is in no row of another one', async () => {
  await using pair = await WorldPair.create()
  const { from, to } = pair
  changeRows(
    from.program.http.db.sqlite,
    `update organizations set name = '${MARKER}', name_key = '${MARKER.toLowerCase()}' where id = ?`,
    [pair.organization],
  )
  pair.addSuperAdmins()
  await pair.start()
  await pair.reach('completed')
  await pair.pass()
  // Super admins read it as long as the organization is there.
  for (const world of [from, to]) expect(await bodiesOf(world)).toContain(MARKER)
  for (const [world, { id }] of [
    [from, from.tenant],
    [to, to.tenant],
  ] as const) {
    const { parts } = await archiveOf(world, { id })
    expect([...parts].filter((part) => JSON.stringify(part).includes(MARKER))).toEqual([])
    await erase(world, pair.organization)
    expect(tablesWith(world, MARKER)).toEqual([])
    expect(await bodiesOf(world)).toContain('not here any more')
  }
})

test('a notification names no other organization to people who are no super admins', async () => {
  await using world = await World.create()
  for (const [nth, kind] of ['mention', 'organization_moved'].entries())
    changeRows(
      world.program.http.db.sqlite,
      `insert into notifications (organization_id, id, user_id, kind, severity, title, body, created_at_ms)
     values (?, ?, ?, ?, 'info', 'Mentioned', ?, 1)`,
      [
        world.tenant.id,
        `01a00000-0000-7001-8${nth}00-000000000000`,
        String(world.tenant.userIds.manager),
        kind,
        `{organization ${world.other.id}}`,
      ],
    )
  const bodies = await bodiesOf(world)
  expect(bodies.split(`{organization ${world.other.id}}`)).toHaveLength(3)
})

test('an organization that was imported and erased is in no list of imports', async () => {
  const source = await World.create()
  const target = await World.create({ names: ['Crux'], firstId: 1_000_000 })
  const email = 'ana.plantedqz@example.com'
  for (const [world, tenant] of [
    [source, source.tenant],
    [target, target.tenant],
  ] as [World, Tenant][])
    changeRows(world.program.http.db.sqlite, 'update users set email = ? where id = ?', [
      email,
      tenant.userIds.agent,
    ])
  changeRows(source.program.http.db.sqlite, 'update organizations set name = ? where id = ?', [
    MARKER,
    source.tenant.id,
  ])
  const bytes = await packed(await archiveOf(source, source.tenant))
  const send = async (isDryRun: boolean) => {
    const { status } = await upload(await target.as('super'), {
      ...{ bytes, path: '/api/admin/organizations/import', name: `${MARKER}.zip` },
      type: 'application/zip',
      fields: { passphrase: PASSPHRASE, dry_run: String(isDryRun) },
    })
    expect(status).toBe(202)
    await target.settle()
  }
  await send(true)
  await send(false)
  const listed = (): string => JSON.stringify(target.rows('select * from organization_imports'))
  expect(listed()).toContain(email)
  // The dry run, too, a month after it could be committed.
  for (let month = 0; month < 2; month += 1) {
    target.clock.advance({ hours: 24 * 31 })
    await target.settle()
  }
  await erase(target, source.tenant.id)
  expect(listed()).not.toContain(email)
  expect(tablesWith(target, MARKER)).toEqual([])
  expect(tablesWith(target, email)).toEqual(['users']) // of the person here
  await source.stop()
  await target.stop()
})
