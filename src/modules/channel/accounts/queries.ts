import { and, eq, exists, inArray, isNull } from 'drizzle-orm'

import { acrossOrganizations, type Ctx, type Deps } from '../../../infra/ctx'
import { anyScope, inOrganization } from '../../../infra/ctx'
import { compiled, place } from '../../../infra/db/compiled'
import { NotFoundError } from '../../../lib/errors'
import { organizations } from '../../organization/organizations/table'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { openSecret, verifyTokenHash } from './secrets'
import { accounts } from './table'
import type { AccountRow } from './view'

const byId = compiled((orm) =>
  orm
    .select()
    .from(accounts)
    .where(inOrganization(anyScope, accounts, eq(accounts.id, place(accounts.id, 'id'))))
    .prepare(),
)

const ownerByPhoneId = compiled((orm) =>
  orm
    .select({ organizationId: accounts.organizationId })
    .from(accounts)
    .where(
      acrossOrganizations(
        "webhooks find their organization by the platform's ids, verify token or signature",
        and(
          eq(accounts.phoneId, place(accounts.phoneId, 'phoneId')),
          isNull(accounts.deletedAtMs),
          isNull(accounts.movedAtMs),
        ),
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
        and(
          eq(accounts.phoneId, place(accounts.phoneId, 'phoneId')),
          isNull(accounts.deletedAtMs),
          isNull(accounts.movedAtMs),
        ),
      ),
    )
    .prepare(),
)

/** Returns an account of the organization, deleted or not, or `null`. */
export const findAccount = (
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  id: string,
): AccountRow | null => byId(ctx.db).get({ organizationId: ctx.organizationId, id }) ?? null

/** Returns the live account. Throws NotFoundError. */
export function getAccount(ctx: Pick<ReadCtx, 'db' | 'organizationId'>, id: string): AccountRow {
  const row = ctx.db.orm
    .select()
    .from(accounts)
    .where(inOrganization(ctx, accounts, and(eq(accounts.id, id), isNull(accounts.deletedAtMs))))
    .get()
  if (!row) throw new NotFoundError('Account')
  return row
}

/**
 * Returns the live account with this phone number ID in any organization, or `null`. Webhooks are
 * routed by it. An account that has moved to another server is not here.
 */
export const routeByPhoneId = (deps: Pick<Deps, 'db'>, phoneId: string): AccountRow | null =>
  liveByPhoneId(deps.db).get({ phoneId }) ?? null

/**
 * Returns the live accounts with one of these phone number IDs, also those that have moved to another
 * server. The app secret of each may have signed webhooks of its number, wherever they arrive.
 */
export const accountsNamingPhones = (deps: Pick<Deps, 'db'>, phoneIds: string[]): AccountRow[] =>
  deps.db.orm
    .select()
    .from(accounts)
    .where(
      acrossOrganizations(
        "webhooks find their organization by the platform's ids, verify token or signature",
        and(inArray(accounts.phoneId, phoneIds), isNull(accounts.deletedAtMs)),
      ),
    )
    .orderBy(accounts.createdAtMs, accounts.id)
    .all()

/** Whether one of these phone number IDs is of an organization that is being imported. */
export const isArriving = ({ db }: Pick<Deps, 'db'>, phoneIds: string[]): boolean =>
  db.orm
    .select({ id: organizations.id })
    .from(organizations)
    .where(
      and(
        eq(organizations.state, 'importing'),
        exists(
          db.orm
            .select({ id: accounts.id })
            .from(accounts)
            .where(
              acrossOrganizations(
                'a number that arrives is looked for in the few organizations that do',
                and(
                  eq(accounts.organizationId, organizations.id),
                  inArray(accounts.phoneId, phoneIds),
                ),
              ),
            ),
        ),
      ),
    )
    .limit(1)
    .get() !== undefined

/**
 * Returns the organization ID of the live account with this phone number ID, or `null`. An account
 * that has moved to another server is not here.
 */
export const organizationByPhoneId = (deps: Pick<Deps, 'db'>, phoneId: string): string | null =>
  ownerByPhoneId(deps.db).get({ phoneId })?.organizationId ?? null

/**
 * Returns the account of any organization, deleted or not, or `null`. Used to find the signer of a
 * webhook, and the account of a Flow's endpoint.
 */
export const findAccountAnywhere = (deps: Pick<Deps, 'db'>, id: string): AccountRow | null =>
  deps.db.orm
    .select()
    .from(accounts)
    .where(acrossOrganizations('an id names one account of the server', eq(accounts.id, id)))
    .get() ?? null

/**
 * Returns the live accounts of all organizations that name a business account, proven or not. The
 * app secret of each may have signed its webhooks.
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
    .orderBy(accounts.createdAtMs, accounts.id)
    .all()

/**
 * Returns the live accounts of all organizations that are proven to belong to a business account.
 * They get the webhooks that name no phone number.
 */
export const routeByBusinessId = (deps: Pick<Deps, 'db'>, businessId: string): AccountRow[] =>
  accountsNamingBusiness(deps, businessId).filter(
    ({ businessLink, movedAtMs }) => businessLink === 'proven' && movedAtMs === null,
  )

/**
 * Returns the phone number IDs of all numbers the organization has or had, without those that
 * another organization has now.
 */
export const phoneIdsOf = (ctx: Ctx): string[] =>
  ctx.db.orm
    .selectDistinct({ phoneId: accounts.phoneId })
    .from(accounts)
    .where(inOrganization(ctx, accounts))
    .all()
    .map(({ phoneId }) => phoneId)
    .filter((phoneId) => [null, ctx.organizationId].includes(organizationByPhoneId(ctx, phoneId)))

/** Returns the app secret of an account in plain text, or `null` if it uses the installation's. */
export const appSecretOf = (deps: Pick<Deps, 'vault'>, row: AccountRow): string | null =>
  openSecret(deps, row, 'appSecretSealed')

/**
 * Returns the access token of an account in plain text, for one call, or `null` if it was deleted.
 */
export const accessTokenOf = (deps: Pick<Deps, 'vault'>, row: AccountRow): string | null =>
  openSecret(deps, row, 'accessTokenSealed')

/**
 * Whether a token is the webhook verify token of a live account. Looks it up by hash, so that no
 * comparison reveals it by its duration.
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

/** Returns the IDs of all live accounts of the organization. */
export const liveAccountIds = (ctx: Ctx): string[] =>
  ctx.db.orm
    .select({ id: accounts.id })
    .from(accounts)
    .where(inOrganization(ctx, accounts, isNull(accounts.deletedAtMs)))
    .orderBy(accounts.createdAtMs, accounts.id)
    .all()
    .map(({ id }) => id)

/** Returns the live accounts of the organization, up to 500. */
export const liveAccounts = (ctx: Pick<ReadCtx, 'db' | 'organizationId'>): AccountRow[] =>
  ctx.db.orm
    .select()
    .from(accounts)
    .where(inOrganization(ctx, accounts, isNull(accounts.deletedAtMs)))
    .orderBy(accounts.createdAtMs, accounts.id)
    .limit(500)
    .all()

/**
 * Returns the account that sends when a message names none: the default outgoing one, otherwise the
 * only active one, otherwise the only one. Returns `null` if none of these exists.
 */
export function findOutgoingAccount(ctx: Ctx): AccountRow | null {
  const live = liveAccounts(ctx)
  const active = live.filter((row) => row.status === 'active')
  const only = active.length === 0 ? live : active
  return live.find((row) => row.isDefaultOutgoing) ?? (only.length === 1 ? (only[0] ?? null) : null)
}
