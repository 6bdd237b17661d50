import { count, eq, isNull, sql, type SQL } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import { holdsText } from '../../../infra/search-keys'
import { numberedPage, type Page } from '../../../lib/page'
import type { AccountView } from './model'
import { accounts } from './table'
import { accountView, type AccountRow } from './view'

const isLive = isNull(accounts.deletedAtMs)

/** Returns a page of live accounts, sorted by name. */
export function listAccounts(
  ctx: Ctx,
  query: {
    page: number
    limit: number
    search?: string | undefined
    status?: AccountRow['status'] | undefined
  },
): Page<AccountView> {
  const filter = inOrganization(
    ctx,
    accounts,
    isLive,
    query.status === undefined ? undefined : eq(accounts.status, query.status),
    query.search === undefined ? undefined : matches(query.search),
  )
  const rows = ctx.db.orm
    .select()
    .from(accounts)
    .where(filter)
    .orderBy(accounts.name, accounts.id)
    .limit(query.limit)
    .offset((query.page - 1) * query.limit)
    .all()
  const total = ctx.db.orm.select({ rows: count() }).from(accounts).where(filter).get()?.rows ?? 0
  return numberedPage(rows.map(accountView), total, query)
}

/** Searches with fewer digits look only at the displayed number. */
const MIN_DIGITS = 3

/** Matches part of the name, or of the phone number in any format. */
function matches(search: string): SQL {
  const shown = sql`${holdsText(accounts.nameKey, search)} or instr(${accounts.displayPhoneNumber}, ${search.trim()}) > 0`
  const digits = /^[+\d\s().-]+$/.test(search) ? search.replace(/\D/g, '') : ''
  return digits.length < MIN_DIGITS
    ? sql`(${shown})`
    : sql`(${shown} or instr(${accounts.phoneNumber}, ${digits}) > 0)`
}
