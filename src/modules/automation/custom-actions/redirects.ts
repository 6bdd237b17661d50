import { randomBytes } from 'node:crypto'

import { and, eq, gt, inArray, lte } from 'drizzle-orm'

import { SECOND_MS } from '../../../lib/clock'
import { NotFoundError } from '../../../lib/errors'
import { sha256Hex } from '../../../lib/hash'
import { acrossOrganizations, inOrganization, type Ctx, type Deps } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { of } from '../../../infra/scoped'
import { findContact } from '../../inbox/contacts/service'
import { masksNumbers } from '../../inbox/contacts/sight/visibility'
import { actions } from './service'
import { customActionRedirects } from './table'
import { valuesFor } from './values'
import { fillUrl } from './variables'

const LIVES_MS = 60 * SECOND_MS

/** Expired tokens that are deleted whenever one is issued. */
const PRUNED = 100

/** Path of the addresses that redirect, without the token. */
export const REDIRECT_PATH = '/api/custom-actions/redirect'

/**
 * Issues a token that opens the address of an action once, within 60 seconds. Runs inside the
 * caller's transaction. Returns the address with the token.
 */
export function issueRedirectIn(
  tx: Tx,
  ctx: Ctx,
  at: { actionId: string; contactId: string },
): string {
  const token = randomBytes(32).toString('base64url')
  const nowMs = ctx.clock.nowMs()
  pruneIn(tx, ctx, nowMs)
  of(ctx, customActionRedirects).insert(tx, {
    id: ctx.ids.next(),
    tokenHash: sha256Hex(token),
    ...at,
    userId: ctx.actor.userId ?? '',
    isMasked: masksNumbers(ctx),
    expiresAtMs: nowMs + LIVES_MS,
  })
  return `${ctx.settings.baseUrl}${REDIRECT_PATH}/${token}`
}

function pruneIn(tx: Tx, ctx: Ctx, nowMs: number): void {
  const { id, expiresAtMs } = customActionRedirects
  const expired = tx
    .select({ id })
    .from(customActionRedirects)
    .where(inOrganization(ctx, customActionRedirects, lte(expiresAtMs, nowMs)))
    .limit(PRUNED)
  of(ctx, customActionRedirects).delete(tx, inArray(id, expired))
}

/**
 * Uses up a token and returns the address it opens, with the present values of the contact. Throws
 * NotFoundError for a token that is unknown, used or older than 60 seconds.
 */
export function redeemRedirect(deps: Deps, token: string): string {
  const row = transact(deps.db, (tx) =>
    tx
      .delete(customActionRedirects)
      .where(
        acrossOrganizations(
          'the token itself names its organization',
          and(
            eq(customActionRedirects.tokenHash, sha256Hex(token)),
            gt(customActionRedirects.expiresAtMs, deps.clock.nowMs()),
          ),
        ),
      )
      .returning()
      .get(),
  )
  if (!row) throw new NotFoundError('Link')
  const scope = { db: deps.db, organizationId: row.organizationId }
  const contact = findContact(scope, row.contactId)
  const action = actions.get(scope, row.actionId)
  if (action.actionType !== 'url' || !contact || contact.deletedAtMs !== null)
    throw new NotFoundError('Link')
  const url = fillUrl(action.config.url, valuesFor(scope, contact, row))
  if (url === null) throw new NotFoundError('Link')
  return url
}
