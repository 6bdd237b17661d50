import { systemCtx, type Deps } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { recordAudit } from '../audit/record'
import { membershipsOf } from '../memberships/find'
import { addMemberIn } from '../memberships/service'
import { notifyIn } from '../notifications/service'
import { createOrganizationIn, findOrganizationToAdminister } from '../organizations/service'
import type { UserRow } from '../users/service'

/**
 * Returns an organization in which a super admin can administer a server that all organizations have
 * left. Creates an empty one, as the first start does, with the super admin as its admin, unless
 * another sign-in has done so meanwhile.
 */
export const openEmptyOrganization = (deps: Deps, user: UserRow): string =>
  transact(deps.db, (tx) => {
    const known = findOrganizationToAdminister(deps)
    if (known) return known.id
    const { organization: name } = deps.settings.admin
    const { id, roleIds } = createOrganizationIn(tx, deps, { name })
    const there = systemCtx(deps, id)
    const isDefault = membershipsOf(deps, user.id).length === 0
    addMemberIn(tx, there, { userId: user.id, roleId: roleIds.admin, isDefault })
    recordAudit(tx, there, {
      action: 'created',
      resourceType: 'organization',
      resourceId: id,
      resourceName: name,
    })
    notifyIn(tx, there, {
      userId: user.id,
      kind: 'organization_moved',
      severity: 'info',
      title: 'No organization works on this server',
      body:
        `All organizations have left, so ${name} was created. It is empty. From here you can ` +
        'import an organization or create others, and delete this one afterwards.',
    })
    return id
  })
