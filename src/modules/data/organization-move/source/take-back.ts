import { INSTALLATION, systemCtx, type Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { workAgainIn } from '../../../channel/accounts/arrive'
import { nameOfOrganization } from '../../../organization/notifications/organization-names'
import {
  findOrganization,
  setOrganizationStateIn,
} from '../../../organization/organizations/service'
import { notifySuperAdminsIn } from '../../../organization/users/notify-super-admins'
import { treatAsRestored } from './treat-as-restored'

/**
 * Lets an organization work here that came back with so many `moves`, which this cell does not know because it
 * was restored from a backup of the time before.
 */
export async function takeBack(ctx: Ctx, organizationId: string, moves: number): Promise<void> {
  const there = systemCtx(ctx, organizationId)
  await treatAsRestored(there)
  transact(ctx.db, (tx) => {
    const row = findOrganization(ctx, organizationId)
    if (row?.state !== 'moved' || row.moves >= moves) return
    setOrganizationStateIn(tx, organizationId, { state: 'active', deletesAtMs: null, moves })
    workAgainIn(tx, there)
    notifySuperAdminsIn(tx, systemCtx(ctx, INSTALLATION), {
      kind: 'organization_moved',
      severity: 'critical',
      title: 'Organization works here again',
      body:
        `${nameOfOrganization(organizationId)} came back after the backup was made that this server was ` +
        `restored from. It has the state of that backup; ${row.movedTo} keeps a newer copy.`,
    })
  })
}
