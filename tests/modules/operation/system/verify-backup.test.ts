import { expect, test } from 'bun:test'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { World } from '../../../support/world'

test('a backup is verified again, and one that was damaged since says so', async () => {
  await using world = await World.create({ tenants: 1 })
  world.stays('backups')
  const operator = await world.as('super')
  const { id } = (await operator.post('/api/admin/backups', { verify: false })).data
  const path = `/api/admin/backups/${String(id)}`
  expect(await operator.post(`${path}/verify`)).toMatchObject({
    ...{ status: 409, body: { code: 'backup_running' } },
  })
  await world.settle()
  expect((await operator.get(path)).data).toMatchObject({ verified: false, verifying: false })

  const begun = await operator.post(`${path}/verify`)
  expect([begun.status, begun.data['verifying']]).toEqual([202, true])
  expect((await operator.post(`${path}/verify`)).body.code).toBe('backup_running')
  await world.settle()
  expect((await operator.get(path)).data).toMatchObject({
    ...{ state: 'completed', verified: true, verifying: false, error: null },
  })

  const folder = join(world.program.http.backups.folder ?? '', String(id))
  const database = join(folder, 'switchboard.sqlite')
  rmSync(database)
  writeFileSync(database, 'no database')
  await operator.post(`${path}/verify`)
  await world.settle()
  const { data } = await operator.get(path)
  expect(data).toMatchObject({ state: 'failed', verified: false, verifying: false })
  expect(String(data['error'])).not.toBe('null')
  expect((await operator.post(`${path}/verify`)).body.code).toBe('backup_unfinished')
  expect((await (await world.as('admin')).post(`${path}/verify`)).status).toBe(403)
  // the failed check is listed among the jobs that need somebody
  expect((await operator.get('/api/admin/attention')).data['failed_jobs']).toBe(1)
})

test('a backup that is deleted while it is verified stays deleted, and nothing has failed', async () => {
  await using world = await World.create({ tenants: 1 })
  world.stays('backups')
  const operator = await world.as('super')
  const { backups } = world.program.http
  const { verify } = backups
  const isThere = async (path: string) => (await operator.get(path)).status
  for (const isBegun of [false, true]) {
    const { id } = (await operator.post('/api/admin/backups', { verify: false })).data
    await world.settle()
    const path = `/api/admin/backups/${String(id)}`
    await operator.post(`${path}/verify`)
    if (isBegun)
      backups.verify = async (...given) => {
        await operator.delete(path)
        return await verify(...given)
      }
    else await operator.delete(path)
    await world.settle()
    expect([isBegun, await isThere(path)]).toEqual([isBegun, 404])
    expect(existsSync(join(backups.folder ?? '', String(id)))).toBe(false)
  }
  expect(world.rows("select distinct state from jobs where kind = 'system.verify-backup'")).toEqual(
    [{ state: 'completed' }],
  )
})

test('who runs the server is told when long work goes on, and sees organizations that leave', async () => {
  await using world = await World.create()
  world.stays('jobs')
  world.stays('backups')
  const operator = await world.as('super')
  const socket = await world.socket('super')
  await socket.ask({ type: 'subscribe', payload: { topics: ['server'] } })
  let begun = 0
  const frames = () => socket.frames.filter(({ type }) => type === 'server:work').slice(begun)
  const look = (): void => {
    world.clock.advance({ seconds: 3 })
    world.program.realtime.sockets.sweep()
  }
  look()
  // who begins to watch may have loaded before something changed
  await world.eventually(() => frames().length === 1)
  expect(frames()[0]?.payload).toEqual({
    changed: ['backups', 'archives', 'imports', 'moves', 'organizations'],
  })
  begun = 1
  await operator.post('/api/admin/backups', {})
  look()
  await world.eventually(() => frames().length === 1)
  await world.settle()
  look()
  await world.eventually(() => frames().length === 2)
  expect(frames().map(({ payload }) => payload)).toEqual([
    { changed: ['backups'] },
    { changed: ['backups'] },
  ])
  look()

  const all = async () =>
    (await operator.get('/api/organizations?all=true')).data['organizations'] as {
      id: string
      slug: string
      state: string
    }[]
  const { id } = world.other
  const slug = (await all()).find((one) => one.id === id)?.slug
  const fresh = await world.signIn(world.emailOf('super', world.tenant))
  await fresh.post(`/api/organizations/${world.tenant.id}/archive`, {})
  look()
  await world.eventually(() => frames().length === 3)
  expect(frames().at(-1)?.payload).toEqual({ changed: ['archives'] })
  await world.settle()
  look()
  await world.eventually(() => frames().length === 4)
  await fresh.request('DELETE', `/api/organizations/${id}`, { confirm: slug })
  look()
  await world.eventually(() => frames().length === 5)
  expect(frames().at(-1)?.payload).toEqual({ changed: ['organizations'] })
  expect((await all()).map(({ state }) => state).toSorted()).toEqual(['active', 'deleting'])
  const other = await world.as('admin')
  expect((await other.get('/api/organizations?all=true')).status).toBe(403)
  const found = (await operator.get(`/api/organizations?all=true&id=${id}`)).data['organizations']
  expect(found).toMatchObject([{ id, state: 'deleting' }])
})
