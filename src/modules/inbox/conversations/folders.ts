import { eq, inArray, isNull } from 'drizzle-orm'

import { hasPermission, inOrganization } from '../../../infra/ctx'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { accounts } from '../../channel/accounts/table'
import { activeTeamsOf } from '../teams/find'
import { teams } from '../teams/table'
import type { OpenCounts } from './counts'
import type { ConversationFilter } from './filters'
import { countConversationsUpTo } from './list'
import type { ConversationCounts, Folder } from './model'

/** Conversations that wait for the caller are counted up to this number. */
const MAX_COUNTED = 1_000

/** Most folders of a kind. */
const MAX_FOLDERS = 50

/** Returns the folders of the inbox with their numbers of open conversations that match a filter. */
export function foldersOf(
  ctx: ReadCtx,
  filter: ConversationFilter,
  { mine, unassigned, by_account, by_team }: OpenCounts,
): ConversationCounts['folders'] {
  const isOpen = filter.states?.includes('open') ?? true
  const count = (own: Pick<ConversationFilter, 'waiting' | 'mentioned'>): number =>
    isOpen ? countConversationsUpTo(ctx, { ...filter, ...own, states: ['open'] }, MAX_COUNTED) : 0
  return {
    ...{ mine, unassigned },
    waiting: count({ waiting: 'mine' }),
    mentioned: count({ mentioned: 'me' }),
    accounts: withCounts(numbersOf(ctx), by_account),
    teams: withCounts(teamsOf(ctx), by_team),
  }
}

const withCounts = (
  named: { id: string; name: string }[],
  counts: Record<string, number>,
): Folder[] => named.map(({ id, name }) => ({ id, name, count: counts[id] ?? 0 }))

const numbersOf = (ctx: ReadCtx): { id: string; name: string }[] =>
  hasPermission(ctx.actor, 'accounts:read')
    ? ctx.db.orm
        .select({ id: accounts.id, name: accounts.name })
        .from(accounts)
        .where(inOrganization(ctx, accounts, isNull(accounts.deletedAtMs)))
        .orderBy(accounts.nameKey, accounts.id)
        .limit(MAX_FOLDERS)
        .all()
    : []

const teamsOf = (ctx: ReadCtx): { id: string; name: string }[] =>
  ctx.db.orm
    .select({ id: teams.id, name: teams.name })
    .from(teams)
    .where(
      inOrganization(
        ctx,
        teams,
        eq(teams.isActive, true),
        hasPermission(ctx.actor, 'teams:read')
          ? undefined
          : inArray(teams.id, activeTeamsOf(ctx, ctx.actor.userId ?? '')),
      ),
    )
    .orderBy(teams.nameKey)
    .limit(MAX_FOLDERS)
    .all()
