import type { Tenant, World } from './world'
import { Client, type Loose } from './client'

/** A program that holds an API key, made by the admin of a tenant. */
export interface KeyHolder {
  client: Client
  id: string
  key: string
}

/** Lets somebody, the tenant's admin unless told otherwise, make an API key. */
export async function keyOf(
  world: World,
  body: Loose = {},
  by?: Client,
  tenant: Tenant = world.tenant,
): Promise<KeyHolder> {
  const maker = by ?? (await world.as('admin', tenant))
  const { data } = await maker.post('/api/api-keys', { name: 'Shop', ...body })
  return {
    client: new Client(world.url, { 'x-api-key': String(data['key']) }),
    id: String(data['id']),
    key: String(data['key']),
  }
}
