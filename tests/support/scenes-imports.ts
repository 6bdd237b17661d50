import { mkdirSync, writeFileSync } from 'node:fs'

import { joinCells } from './moves'
import { packed, smallArchive } from './organization-archive'
import type { Stage } from './scenes'
import { World } from './world'

type Prepare = (world: World) => Promise<Stage> | Stage

/** An archive in the folder for incoming files. */
async function incoming(world: World): Promise<Stage> {
  const { incomingFolder } = world.program.http
  mkdirSync(incomingFolder ?? '', { recursive: true })
  writeFileSync(`${incomingFolder}/acme.zip`, await packed(await smallArchive(world)))
  return { client: await world.as('super') }
}

/** A dry run of it. */
const dryRun: Prepare = async (world) => {
  await incoming(world)
  const client = await world.as('super')
  const { data } = await client.post('/api/admin/organizations/import', { path: 'acme.zip' })
  return { client, id: String(data['id']) }
}

/** An organization that can move to another server. */
const movable: Prepare = async (world) => {
  const peer = await World.create({ isConnected: false, tenants: 1 })
  joinCells(world, peer)
  joinCells(peer, world)
  return { client: await world.as('super'), id: world.other.id, body: { to: peer.url } }
}

/** One whose move has begun. */
const moving: Prepare = async (world) => {
  const { client = world.anyone, id = '', body } = await movable(world)
  await client.post(`/api/admin/organizations/${id}/move`, body)
  return { client, id }
}

export const IMPORT_STAGES: Record<string, Prepare> = {
  'POST /api/admin/organizations/import': incoming,
  'GET /api/admin/organizations/imports': incoming,
  'GET /api/admin/organizations/moves': async (world) => ({ client: await world.as('super') }),
  'POST /api/admin/organizations/:id/move': movable,
  'GET /api/admin/organizations/:id/move': moving,
  'DELETE /api/admin/organizations/:id/move': moving,
  'GET /api/admin/organizations/imports/:id': dryRun,
  'POST /api/admin/organizations/imports/:id/commit': dryRun,
  'POST /api/admin/organizations/imports/:id/cancel': dryRun,
}
