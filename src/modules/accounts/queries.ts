import { and, eq, isNull, sql } from 'drizzle-orm'

import { acrossOrganizations, type Ctx, type Deps } from '../../infra/ctx'
import { anyScope, inOrganization } from '../../infra/ctx'
import { compiled } from '../../infra/db/compiled'
import type { Tx } from '../../infra/db/transact'
import { emit } from '../../infra/outbox/events'
import { AccountChanged } from './events'
import { openSecret, verifyTokenHash } from './secrets'
import { accounts } from './table'
import type { AccountRow } from './view'

const byId = compiled((orm) =>
  orm
    .select()
    .from(accounts)
    .where(inOrganization(anyScope, accounts, eq(accounts.id, sql.placeholder('id'))))
    .prepare(),
)

const ownerByPhoneId = compiled((orm) =>
  orm
    .select({ organizationId: accounts.organizationId })
    .from(accounts)
    .where(
      acrossOrganizations(
        "webhooks find their organization by the platform's ids, verify token or signature",
        and(eq(accounts.phoneId, sql.placeholder('phoneId')), isNull(accounts.deletedAtMs)),
      ),
    )
    .prepare(),
)

const liveByPhoneId = compiled((orm) =>
  orm
    .select()
    .from(accounts)
    .where(
      acrossOrganizations(
        "webhooks find their organization by the platform's ids, verify token or signature",
        and(eq(accounts.phoneId, sql.placeholder('phoneId')), isNull(accounts.deletedAtMs)),
      ),
    )
    .prepare(),
)

/** The account with this id, deleted or not; `null` when there is none. */
export const findAccount = (
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  id: string,
): AccountRow | null => byId(ctx.db).get({ organizationId: ctx.organizationId, id }) ?? null

/**
 * The live account of whatever organization that has this phone id: how webhooks find their tenant.
 */
export const routeByPhoneId = (deps: Pick<Deps, 'db'>, phoneId: string): AccountRow | null =>
  liveByPhoneId(deps.db).get({ phoneId }) ?? null

/**
 * The organization of the live account that has this phone id, all that fairness and counting need
 * of it.
 */
export const organizationByPhoneId = (deps: Pick<Deps, 'db'>, phoneId: string): string | null =>
  ownerByPhoneId(deps.db).get({ phoneId })?.organizationId ?? null

/**
 * The account with this id, of whatever organization, deleted or not: who signed a delivery. `null`
 * when there is none.
 */
export const findAccountAnywhere = (deps: Pick<Deps, 'db'>, id: string): AccountRow | null =>
  deps.db.orm
    .select()
    .from(accounts)
    .where(
      acrossOrganizations(
        "webhooks find their organization by the platform's ids, verify token or signature",
        eq(accounts.id, id),
      ),
    )
    .get() ?? null

/**
 * The live accounts of every organization that name a business account, proven or not: their app
 * secrets may sign for it.
 */
export const accountsNamingBusiness = (deps: Pick<Deps, 'db'>, businessId: string): AccountRow[] =>
  deps.db.orm
    .select()
    .from(accounts)
    .where(
      acrossOrganizations(
        "webhooks find their organization by the platform's ids, verify token or signature",
        and(eq(accounts.businessId, businessId), isNull(accounts.deletedAtMs)),
      ),
    )
    .orderBy(accounts.id)
    .all()

/**
 * The live accounts of every organization that are proven to belong to a business account: they get
 * the changes that name no number.
 */
export const routeByBusinessId = (deps: Pick<Deps, 'db'>, businessId: string): AccountRow[] =>
  accountsNamingBusiness(deps, businessId).filter(({ businessLink }) => businessLink === 'proven')

/**
 * The platform's ids of all numbers the organization has or had and no other organization has now.
 */
export const phoneIdsOf = (ctx: Ctx): string[] =>
  ctx.db.orm
    .selectDistinct({ phoneId: accounts.phoneId })
    .from(accounts)
    .where(inOrganization(ctx, accounts))
    .all()
    .map(({ phoneId }) => phoneId)
    .filter((phoneId) => [null, ctx.organizationId].includes(organizationByPhoneId(ctx, phoneId)))

/** The app secret of an account in clear; `null` when it relies on the installation's. */
export const appSecretOf = (deps: Pick<Deps, 'vault'>, row: AccountRow): string | null =>
  openSecret(deps, row, 'appSecretSealed')

/** The access token of an account in clear, for one call; `null` when it was wiped. */
export const accessTokenOf = (deps: Pick<Deps, 'vault'>, row: AccountRow): string | null =>
  openSecret(deps, row, 'accessTokenSealed')

/**
 * Whether a token is the webhook verify token of a live account. Looked up by hash, so nothing is
 * compared in the open.
 */
export const isVerifyTokenOfAnyAccount = (deps: Pick<Deps, 'db'>, token: string): boolean =>
  deps.db.orm
    .select({ id: accounts.id })
    .from(accounts)
    .where(
      acrossOrganizations(
        "webhooks find their organization by the platform's ids, verify token or signature",
        and(eq(accounts.verifyTokenHash, verifyTokenHash(token)), isNull(accounts.deletedAtMs)),
      ),
    )
    .limit(1)
    .get() !== undefined

/** The numbers of the organization. */
export const liveAccounts = (ctx: Ctx): AccountRow[] =>
  ctx.db.orm
    .select()
    .from(accounts)
    .where(inOrganization(ctx, accounts, isNull(accounts.deletedAtMs)))
    .orderBy(accounts.id)
    .limit(500)
    .all()

/**
 * The account that is meant when a message names none: the default outgoing one, else the only
 * active one, else the only one; `null` when there is none of these.
 */
export function findOutgoingAccount(ctx: Ctx): AccountRow | null {
  const live = liveAccounts(ctx)
  const active = live.filter((row) => row.status === 'active')
  const only = active.length === 0 ? live : active
  return live.find((row) => row.isDefaultOutgoing) ?? (only.length === 1 ? (only[0] ?? null) : null)
}

/**
 * Remembers that the platform delivered something for an account; at most once a minute, so that a
 * flood costs no writes.
 */
export function touchInboundIn(tx: Tx, ctx: Ctx, row: AccountRow): void {
  const nowMs = ctx.clock.nowMs()
  if (row.lastInboundAtMs !== null && nowMs - row.lastInboundAtMs < 60_000) return
  tx.update(accounts)
    .set({ lastInboundAtMs: nowMs })
    .where(inOrganization(ctx, accounts, eq(accounts.id, row.id)))
    .run()
}

/** Keeps an error the platform reported about the number as a whole. */
export function recordAccountErrorIn(
  tx: Tx,
  ctx: Ctx,
  row: AccountRow,
  error: { code: string; message: string },
): void {
  tx.update(accounts)
    .set({ lastError: JSON.stringify(error), lastErrorAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, accounts, eq(accounts.id, row.id)))
    .run()
  emit(tx, ctx, AccountChanged, {
    contactId: null,
    payload: { accountId: row.id, changed: ['last_error'], isConnected: false },
  })
}
