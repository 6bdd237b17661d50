import { and, eq, isNull } from 'drizzle-orm'

import { ConflictError } from '../../../../lib/errors'
import { foldText } from '../../../../lib/fold-text'
import type { Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { newestPosition } from '../../../../infra/outbox/events'
import { requireUnique } from '../../../../infra/require-unique'
import { differences, recordAudit } from '../../../organization/audit/record'
import { startReadingIn } from '../log/position'
import type { CreatedEndpoint, NewEndpoint } from '../model'
import { endpointsOf, getEndpointRow } from '../queries'
import type { EndpointRow } from '../row'
import { MAX_ENDPOINTS } from '../rules'
import { newSigningSecret, sealSecret } from '../secrets'
import { webhookEndpoints } from '../table'
import { endpointView } from '../view'
import {
  readHeaders,
  readNumbers,
  requireAccounts,
  requireAllowedUrl,
  requireEvents,
  requireMaySee,
  requireSecret,
} from './validate'

/**
 * Creates an endpoint that gets all later events. Only this response contains the secret. Throws
 * InvalidError (`url_refused`, `bad_reference`), ForbiddenError `escalation`, and ConflictError
 * `name_taken` and `limit_reached`.
 */
export function createEndpoint(ctx: Ctx, input: NewEndpoint): CreatedEndpoint {
  requireAllowedUrl(ctx, input.url)
  requireEvents(input.events)
  requireSecret(input.secret)
  requireMaySee(ctx, input.events)
  const includePhoneNumbers = readNumbers(ctx, input)
  const headers = readHeaders(input.headers ?? {}, { stored: {}, isMoved: false })
  const secret = input.secret ?? newSigningSecret()
  return transact(ctx.db, (tx) => {
    requireAccounts(ctx, input.account_ids ?? [], null)
    requireFreeName(ctx, input.name, null)
    if (endpointsOf(ctx).length >= MAX_ENDPOINTS)
      throw new ConflictError(`An organization can have ${MAX_ENDPOINTS} webhook endpoints.`, {
        code: 'limit_reached',
      })
    const key = { organizationId: ctx.organizationId, id: ctx.ids.next() }
    const nowMs = ctx.clock.nowMs()
    startReadingIn(tx, ctx)
    insertIn(tx, {
      ...key,
      name: input.name.trim(),
      nameKey: foldText(input.name),
      url: input.url,
      events: JSON.stringify(input.events),
      accountIds: JSON.stringify(input.account_ids ?? []),
      headerNames: JSON.stringify(Object.keys(headers)),
      headersSealed:
        Object.keys(headers).length === 0
          ? null
          : sealSecret(ctx, key, 'headersSealed', JSON.stringify(headers)),
      secretSealed: sealSecret(ctx, key, 'secretSealed', secret),
      concurrency: input.concurrency,
      ratePerSecond: input.rate_per_second ?? null,
      ordering: input.ordering,
      includePhoneNumbers,
      sincePosition: newestPosition(ctx),
      disabledAtMs: input.is_active === false ? nowMs : null,
      disabledReason: input.is_active === false ? 'manual' : null,
      createdBy: ctx.actor.userId,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    })
    const view = endpointView(getEndpointRow(ctx, key.id), nowMs)
    recordAudit(tx, ctx, {
      action: 'created',
      resourceType: 'webhook_endpoint',
      resourceId: view.id,
      resourceName: view.name,
      changes: differences({}, auditedView(view)),
    })
    return { ...view, secret }
  })
}

const insertIn = (tx: Tx, row: typeof webhookEndpoints.$inferInsert): void =>
  tx.insert(webhookEndpoints).values(row).run()

/** Returns an endpoint as the audit log records it: with the names of its headers only. */
export const auditedView = ({
  headers,
  state: _state,
  ...view
}: ReturnType<typeof endpointView>): Record<string, unknown> => ({
  ...view,
  headers: Object.keys(headers),
})

/** Requires that no other endpoint has the name. Throws ConflictError `name_taken`. */
export const requireFreeName = (ctx: Ctx, name: string, except: EndpointRow | null): void =>
  requireUnique(ctx, {
    table: webhookEndpoints,
    kind: 'webhook endpoint',
    field: 'name',
    where: and(eq(webhookEndpoints.nameKey, foldText(name)), isNull(webhookEndpoints.deletedAtMs)),
    except: except?.id ?? null,
  })
