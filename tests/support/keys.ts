import { PERMISSIONS } from '../../src/modules/organization/roles/catalog'
import type { Tenant, World } from './world'
import { Client, type Loose } from './client'

/** A client with an API key of a tenant's admin. */
export interface KeyHolder {
  client: Client
  id: string
  key: string
}

/** What no key may hold. */
const NEVER = new Set(['api_keys:create', 'api_keys:update'])

/** Creates an API key, by default for the tenant's admin, and with all that its owner may give it. */
export async function keyOf(
  world: World,
  body: Loose = {},
  by?: Client,
  tenant: Tenant = world.tenant,
): Promise<KeyHolder> {
  const maker = by ?? (await world.as('admin', tenant))
  const heldBy = async (): Promise<string[]> =>
    by ? ((await by.get('/api/me')).data['permissions'] as string[]) : [...PERMISSIONS]
  const permissions = body['permissions'] ?? (await heldBy()).filter((pair) => !NEVER.has(pair))
  const { data } = await maker.post('/api/api-keys', { name: 'Shop', ...body, permissions })
  return {
    client: new Client(world.url, { 'x-api-key': String(data['key']) }),
    id: String(data['id']),
    key: String(data['key']),
  }
}
