import type { Client, Loose } from './client'
import { PASSWORD, type Person, type Tenant, type World } from './world'

/** A user created over the API during a test. */
export interface Newcomer {
  id: string
  email: string
  client: Client
}

let counter = 0

/** Returns an unused email address. */
export const freshEmail = (): string => `newcomer-${(counter += 1)}@example.com`

/** Creates a user in a tenant, with a system role or a custom role, and signs in. */
export async function newcomer(
  world: World,
  options: {
    tenant?: Tenant
    role?: Exclude<Person, 'super'>
    roleId?: string
    fullName?: string
  } = {},
): Promise<Newcomer> {
  const { tenant = world.tenant, role = 'agent', fullName = 'New Comer' } = options
  const admin = await world.as('admin', tenant)
  const email = freshEmail()
  const body = {
    email,
    password: PASSWORD,
    full_name: fullName,
    role_id: options.roleId ?? tenant.roleIds[role],
  }
  const { data } = await admin.post('/api/users', body)
  return { id: data['id'] as string, email, client: await world.signIn(email) }
}

/** Creates a custom role with `permissions`. Returns its ID. */
export async function newRole(
  world: World,
  permissions: string[],
  tenant: Tenant = world.tenant,
): Promise<string> {
  const admin = await world.as('admin', tenant)
  const { data } = await admin.post('/api/roles', { name: `Role ${(counter += 1)}`, permissions })
  return data['id'] as string
}

/** Returns the audit log entries of a resource, oldest first. */
export const auditOf = (world: World, resourceId: string): Loose[] =>
  world
    .rows(
      'select action, changes, organization_id, user_name from audit_logs where resource_id = ? order by created_at_ms, id',
      resourceId,
    )
    .map((row) => ({ ...row, changes: JSON.parse(row['changes'] as string) as unknown }))
