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

/** Creates an API key, by default for the tenant's admin and with all permissions a key may hold. */
export async function keyOf(
  world: World,
  body: Loose = {},
  by?: Client,
  tenant: Tenant = world.tenant,
): Promise<KeyHolder> {
  const maker = by ?? (await world.as('admin', tenant))
  const permissions =
    body['permissions'] ??
    ((await maker.get('/api/me')).data['permissions'] as string[]).filter(
      (pair) => !NEVER.has(pair),
    )
  const { data } = await maker.post('/api/api-keys', { name: 'Shop', ...body, permissions })
  return {
    client: new Client(world.url, { 'x-api-key': String(data['key']) }),
    id: String(data['id']),
    key: String(data['key']),
  }
}
