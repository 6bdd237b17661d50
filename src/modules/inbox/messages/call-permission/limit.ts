import { isoTime, isoTimeOrNull } from '../../../../lib/clock'
import { ConflictError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import type { ParsedMessage } from '../compose/input'
import { nextRequestAt } from './queries'

/** The error for a request beyond the platform's limits. `nextMs` is `null` if the end is unknown. */
export function requestLimitError(nextMs: number | null): ConflictError {
  const when = nextMs === null ? '' : ` before ${isoTime(nextMs)}`
  return new ConflictError(`The platform permits no further request to this contact${when}.`, {
    code: 'permission_request_limit',
    details: { retry_at: isoTimeOrNull(nextMs) },
  })
}

/**
 * Rejects a message that requests the permission to call if earlier requests to the contact use up
 * the platform's limits. Throws ConflictError `permission_request_limit`.
 */
export function requirePermissionRequest(
  ctx: Ctx,
  parsed: ParsedMessage,
  { contactId, accountId }: { contactId: string | null; accountId: string },
): void {
  if (contactId === null || !requestsPermission(parsed)) return
  const nextMs = nextRequestAt(ctx, { contactId, accountId })
  if (nextMs !== null) throw requestLimitError(nextMs)
}

/** Whether a message requests the permission to call: interactive, or a template with such a button. */
function requestsPermission({ message, template }: ParsedMessage): boolean {
  if (template) return hasRequestButton(template.row)
  return message.type === 'interactive' && message.content.kind === 'call_permission_request'
}

/** Whether a template has a button that requests the permission to call. */
export const hasRequestButton = (row: {
  components: string
  publishedComponents: string | null
}): boolean => (row.publishedComponents ?? row.components).includes('"CALL_PERMISSION_REQUEST"')
