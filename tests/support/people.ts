import { systemCtx } from '../../src/infra/ctx'
import { transact } from '../../src/infra/db/transact'
import { addMemberIn } from '../../src/modules/organization/memberships/service'
import type { SystemRole } from '../../src/modules/organization/roles/catalog'
import { createUserIn } from '../../src/modules/organization/users/service'
import type { Client } from './client'
import type { Tenant, World } from './world'
import { changeRows } from './sql'

/** A member of a tenant with a custom role. */
export interface OwnRole {
  client: Client
  email: string
  userId: string
  roleId: string
  /** Replaces the role's permissions, effective from the next request. */
  may(...permissions: string[]): void
}

/**
 * Adds a member whose custom role has only `permissions`, and signs in. The password is that of all
 * users of the world.
 */
export async function personWith(
  world: World,
  permissions: string[],
  tenant: Tenant = world.tenant,
): Promise<OwnRole> {
  const { http } = world.program
  const { sqlite } = http.db
  const roleId = http.ids.next()
  const email = `own-${roleId.slice(-8)}@example.com`
  changeRows(
    sqlite,
    `insert into roles (organization_id, id, name, name_key, description, is_system, is_default, created_at_ms, updated_at_ms)
     values (?, ?, ?, ?, '', 0, 0, 0, 0)`,
    [tenant.id, roleId, `own ${roleId}`, `own ${roleId}`],
  )
  const may = (...wanted: string[]): void => {
    changeRows(sqlite, 'delete from role_permissions where role_id = ?', [roleId])
    for (const permission of wanted)
      changeRows(
        sqlite,
        'insert into role_permissions (organization_id, role_id, permission) values (?, ?, ?)',
        [tenant.id, roleId, permission],
      )
  }
  may(...permissions)
  const [anybody] = world.rows<{ password_hash: string }>('select password_hash from users limit 1')
  const userId = transact(http.db, (tx) => {
    const id = createUserIn(tx, http, {
      email,
      passwordHash: anybody?.password_hash ?? '',
      fullName: 'Own Role',
      homeOrganizationId: tenant.id,
      isSuperAdmin: false,
      mustChangePassword: false,
    })
    addMemberIn(tx, systemCtx(http, tenant.id), { userId: id, roleId, isDefault: true })
    return id
  })
  return { client: await world.signIn(email), email, userId, roleId, may }
}

/** Adds members with these names to the first tenant, as agents who cannot sign in. */
export function addMembers({ program, tenant }: World, names: readonly string[]): void {
  const { http } = program
  transact(http.db, (tx) => {
    for (const fullName of names) {
      const userId = createUserIn(tx, http, {
        email: `${http.ids.next()}@example.com`,
        passwordHash: '',
        fullName,
        homeOrganizationId: tenant.id,
        isSuperAdmin: false,
        mustChangePassword: false,
      })
      const roleId = tenant.roleIds.agent
      addMemberIn(tx, systemCtx(http, tenant.id), { userId, roleId, isDefault: true })
    }
  })
}

/** Adds a user to another tenant with a system role. */
export function joinToo(
  world: World,
  userId: string,
  tenant: Tenant,
  role: SystemRole = 'agent',
): void {
  const { http } = world.program
  const acceptedFromMs = http.clock.nowMs()
  transact(http.db, (tx) => {
    addMemberIn(tx, systemCtx(http, tenant.id), {
      userId,
      roleId: tenant.roleIds[role],
      isDefault: false,
      acceptedFromMs,
    })
  })
}
