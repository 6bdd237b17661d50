import { randomBytes } from 'node:crypto'

import { ConflictError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { recordAudit } from '../../organization/audit/record'
import { requireFreshLogin } from '../../organization/auth/fresh-login'
import { beginWorkIn } from '../../organization/notifications/work/note'
import {
  ctxOfOrganization,
  getOrganization,
  requireNotMoving,
} from '../../organization/organizations/service'
import { createArchiveKey } from './archive-secrets'
import { WriteArchive } from './jobs'
import { sealArchiveKey } from './keys'
import { ARCHIVES, archiveView, type ArchiveView, type NewArchive } from './model'
import { isArchiving } from './state'
import { organizationArchives } from './table'

/**
 * Schedules the archive of an organization. Only the key that is derived from the passphrase is
 * stored, encrypted, until the archive is written. Throws NotFoundError, ForbiddenError
 * `fresh_login_required`, ConflictError `archive_pending` or `organization_leaving`, and
 * UnavailableError `organization_moving`.
 */
export async function requestArchive(
  ctx: Ctx,
  organizationId: string,
  { passphrase, include_media: hasFiles = true }: NewArchive,
): Promise<ArchiveView> {
  const there = ctxOfOrganization(ctx, organizationId)
  requireFreshLogin(ctx)
  requireArchivable(there)
  const made = passphrase === undefined ? null : await createArchiveKey(passphrase, randomBytes)
  return transact(ctx.db, (tx) => {
    const { name } = requireArchivable(there)
    const id = ctx.ids.next()
    const row = tx
      .insert(organizationArchives)
      .values({
        ...{ organizationId, id, status: 'queued', hasFiles },
        encryption: made === null ? null : JSON.stringify(made.encryption),
        keySealed: made === null ? null : sealArchiveKey(ctx, { organizationId, id }, made.key),
        credentials: ctx.actor.isSuperAdmin ? 'all' : 'managed',
        createdBy: ctx.actor.userId,
        createdAtMs: ctx.clock.nowMs(),
      })
      .returning()
      .get()
    enqueue(tx, there, WriteArchive, { args: { archiveId: id } })
    // who archives another organization sees nothing of it
    if (organizationId === ctx.organizationId)
      beginWorkIn(tx, ctx, { kind: 'archive', id, title: '', total: null, link: ARCHIVES })
    recordAudit(tx, there, {
      action: 'exported',
      resourceType: 'organization',
      resourceId: organizationId,
      resourceName: name,
      changes: [
        { field: 'include_media', old_value: null, new_value: hasFiles },
        { field: 'has_secrets', old_value: null, new_value: made !== null },
      ],
    })
    return archiveView(row)
  })
}

function requireArchivable(there: Ctx): { name: string } {
  const organization = getOrganization(there)
  requireNotMoving(there, there.organizationId)
  if (organization.state === 'erasing' || organization.state === 'importing')
    throw new ConflictError('The organization is being erased or imported.', {
      code: 'organization_leaving',
    })
  if (isArchiving(there))
    throw new ConflictError('An archive of this organization is already being written.', {
      code: 'archive_pending',
    })
  return organization
}
