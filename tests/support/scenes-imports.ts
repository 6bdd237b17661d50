import { mkdirSync, writeFileSync } from 'node:fs'

import { packed, smallArchive } from './organization-archive'
import type { Stage } from './scenes'
import type { World } from './world'

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

export const IMPORT_STAGES: Record<string, Prepare> = {
  'POST /api/admin/organizations/import': incoming,
  'GET /api/admin/organizations/imports': incoming,
  'GET /api/admin/organizations/imports/:id': dryRun,
  'POST /api/admin/organizations/imports/:id/commit': dryRun,
  'POST /api/admin/organizations/imports/:id/cancel': dryRun,
}
