import { asc, count, desc, eq, getTableColumns, isNull, or, sql, sum } from 'drizzle-orm'

import { NotFoundError } from '../../../../lib/errors'
import type { Page } from '../../../../lib/page'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { readNumbered } from '../../../../infra/offset-pagination'
import { holdsText } from '../../../../infra/search-keys'
import { aiContexts } from '../table'
import { MAX_LISTED_CONTENT, type AiContextItem, type AiContextView } from './model'
import { contextItem, contextView, type ContextRow } from './view'

/** Returns a page of the contexts without their long texts, highest priority first. */
export const listContexts = (
  ctx: Ctx,
  query: { page: number; limit: number; search?: string | undefined },
): Page<AiContextItem> =>
  readNumbered(ctx, query, {
    table: aiContexts,
    columns: LISTED,
    filter: inOrganization(
      ctx,
      aiContexts,
      query.search === undefined ? undefined : holdsText(aiContexts.nameKey, query.search),
    ),
    order: [desc(aiContexts.priority), asc(aiContexts.id)],
    views: (rows) => rows.map(contextItem),
  })

const { content: whole, ...others } = getTableColumns(aiContexts)

const LISTED = {
  ...others,
  content:
    sql`iif(${aiContexts.characters} <= ${sql.raw(String(MAX_LISTED_CONTENT))}, ${whole}, null)`.as(
      'listed_content',
    ),
}

/** Returns a context as stored. Throws NotFoundError. */
export function getContextRow(ctx: Ctx, id: string): ContextRow {
  const row = findContextRow(ctx, id)
  if (!row) throw new NotFoundError('AI context')
  return row
}

/** Returns a context as stored, or `null`. */
export const findContextRow = (
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  id: string,
): ContextRow | null =>
  ctx.db.orm
    .select()
    .from(aiContexts)
    .where(inOrganization(ctx, aiContexts, eq(aiContexts.id, id)))
    .get() ?? null

/** Returns a context as the API shows it. Throws NotFoundError. */
export const getContext = (ctx: Ctx, id: string): AiContextView =>
  contextView(getContextRow(ctx, id))

/** Returns the number of contexts, and the bytes of their texts. */
export function sizeOfContexts(ctx: Ctx): { contexts: number; bytes: number } {
  const found = ctx.db.orm
    .select({ contexts: count(), bytes: sum(aiContexts.textBytes) })
    .from(aiContexts)
    .where(inOrganization(ctx, aiContexts))
    .get()
  return { contexts: found?.contexts ?? 0, bytes: Number(found?.bytes ?? 0) }
}

/** A context without its texts, as prompts are made of it. */
export type ContextCandidate = Pick<
  ContextRow,
  | 'organizationId'
  | 'id'
  | 'name'
  | 'type'
  | 'apiConfig'
  | 'headersSealed'
  | 'triggerKeywords'
  | 'documentState'
  | 'characters'
  | 'textBytes'
>

const { organizationId, id, name, type, apiConfig, headersSealed } = aiContexts
const { triggerKeywords, documentState, characters, textBytes } = aiContexts

/** Returns the enabled contexts that a phone number uses, highest priority first. At most 200. */
export const enabledContexts = (ctx: Ctx, accountId: string | null): ContextCandidate[] =>
  ctx.db.orm
    .select({
      ...{ organizationId, id, name, type, apiConfig, headersSealed },
      ...{ triggerKeywords, documentState, characters, textBytes },
    })
    .from(aiContexts)
    .where(
      inOrganization(
        ctx,
        aiContexts,
        eq(aiContexts.isEnabled, true),
        or(
          isNull(aiContexts.accountId),
          accountId === null ? undefined : eq(aiContexts.accountId, accountId),
        ),
      ),
    )
    .orderBy(desc(aiContexts.priority), asc(aiContexts.createdAtMs), asc(aiContexts.id))
    .all()
