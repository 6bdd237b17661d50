import { DAY_MS } from '../../../lib/clock'
import { UnauthorizedError } from '../../../lib/errors'
import { transact, type Tx } from '../../../infra/db/transact'
import type { Ctx } from '../../../infra/ctx'
import { differences, recordAudit } from '../audit/record'
import { addMemberIn } from '../memberships/service'
import type { NewOrganization, OrganizationView } from './model'
import { createOrganizationIn, getOrganization, organizationView } from './service'
import { membershipsOf } from '../memberships/find'

/**
 * Creates an organization with its system roles. The caller becomes its admin but stays in the
 * current organization until it switches (spec 2.2). A person founds at most 3 a day, unless they run
 * the installation. Throws RateLimitedError.
 */
export function createOrganization(ctx: Ctx, input: NewOrganization): OrganizationView {
  const { userId } = ctx.actor
  if (userId === null) throw new UnauthorizedError()
  return transact(ctx.db, (tx) => {
    if (!ctx.actor.isSuperAdmin) countFoundingIn(tx, ctx, userId)
    const isFirst = membershipsOf(ctx, userId).length === 0
    const { id, roleIds } = createOrganizationIn(tx, ctx, { name: input.name.trim() })
    const there: Ctx = { ...ctx, organizationId: id }
    addMemberIn(tx, there, {
      userId,
      roleId: roleIds.admin,
      isDefault: isFirst,
      acceptedFromMs: acceptedFrom(ctx),
    })
    const view = organizationView(getOrganization(there))
    recordAudit(tx, there, {
      action: 'created',
      resourceType: 'organization',
      resourceId: id,
      resourceName: view.name,
      changes: differences({}, { name: view.name, slug: view.slug }),
    })
    return view
  })
}

/** Counts a new organization of a person. Each has limits of its own, which are worth nothing otherwise. */
function countFoundingIn(tx: Tx, { throttle }: Ctx, userId: string): void {
  throttle.check('organization:founder', userId)
  throttle.countIn(tx, 'organization:founder', userId)
}

/**
 * Delay until creating an organization counts as an accepted membership, if anyone may create
 * organizations: otherwise a user could leave the control of the home organization's admins at
 * once.
 */
const ACCEPTANCE_DELAY_MS = 30 * DAY_MS

const acceptedFrom = ({ clock, settings }: Ctx): number =>
  clock.nowMs() + (settings.orgCreation === 'anyone' ? ACCEPTANCE_DELAY_MS : 0)
