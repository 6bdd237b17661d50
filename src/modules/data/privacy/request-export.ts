import { ForbiddenError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { recordPersonalDataChange } from '../../organization/audit/record'
import { beginWorkIn } from '../../organization/notifications/work/note'
import { getVisibleContact, masksNumbers } from '../../inbox/contacts/sight/visibility'
import { WritePrivacyExport } from './jobs'
import { privacyRequestView, type PrivacyRequestView } from './model'
import { openRequestIn } from './requests'

/**
 * Schedules an export of all data about a person. Throws NotFoundError, ForbiddenError, and
 * ConflictError `request_open`.
 */
export function requestPrivacyExport(
  ctx: Ctx,
  contactId: string,
  reason: string | null,
): PrivacyRequestView {
  refuseMasked(ctx)
  return transact(ctx.db, (tx) => {
    const row = getVisibleContact(ctx, contactId)
    const request = openRequestIn(tx, ctx, { kind: 'export', contactId: row.id, reason, parts: 1 })
    enqueue(tx, ctx, WritePrivacyExport, { args: { requestId: request.id } })
    beginWorkIn(tx, ctx, {
      ...{ kind: 'privacy_export', id: request.id, title: '', total: null },
      link: `/contacts/${row.id}`,
    })
    recordPersonalDataChange(tx, ctx, {
      action: 'exported',
      resourceType: 'contact',
      resourceId: row.id,
    })
    return privacyRequestView(request)
  })
}

/**
 * Rejects callers for whom phone numbers are masked, because the file shows them in full. Throws
 * ForbiddenError.
 */
export function refuseMasked(ctx: Ctx): void {
  if (masksNumbers(ctx))
    throw new ForbiddenError('This requires the permission `contacts:unmask`.', {
      code: 'permission_denied',
    })
}
