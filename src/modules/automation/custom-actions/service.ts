import { asc } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import { ConflictError } from '../../../lib/errors'
import { foldText } from '../../../lib/fold-text'
import { hiddenHeaders } from '../../../lib/outgoing-headers'
import type { Page } from '../../../lib/page'
import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { given, of } from '../../../infra/scoped'
import { holdsText } from '../../../infra/search-keys'
import { collection } from '../../organization/audit/collection'
import type { CustomActionChanges, CustomActionView, NewCustomAction } from './model'
import { customActions } from './table'
import { readAction, type ActionRow } from './validate'

/** Maximum number of custom actions of an organization. */
export const MAX_ACTIONS = 200

const fieldsOf = (row: ActionRow) => ({
  name: row.name,
  icon: row.icon,
  action_type: row.actionType,
  is_active: row.isActive,
  display_order: row.displayOrder,
})

const configView = ({ config }: ActionRow): CustomActionView['config'] =>
  'openInNewTab' in config
    ? { url: config.url, open_in_new_tab: config.openInNewTab }
    : { ...config, headers: hiddenHeaders(config.headers) }

const customActionView = (row: ActionRow): CustomActionView => ({
  id: row.id,
  ...fieldsOf(row),
  config: configView(row),
  created_at: isoTime(row.createdAtMs),
  updated_at: isoTime(row.updatedAtMs),
})

/** Custom actions as people change them. */
export const actions = collection({
  table: customActions,
  name: 'Custom action',
  resourceType: 'custom_action',
  recorded: (row) => ({ ...fieldsOf(row), ...configView(row), headers: row.headersSealed }),
  hidden: ['headers'],
})

/** Returns a page of custom actions by display order, then by name. */
export function listCustomActions(
  ctx: Ctx,
  query: {
    page: number
    limit: number
    search?: string | undefined
    activeOnly?: boolean | undefined
  },
): Page<CustomActionView> & { custom_actions: CustomActionView[] } {
  const { search, activeOnly = false } = query
  const page = of(ctx, customActions).page(query, {
    where: [
      given({ isActive: activeOnly || undefined }),
      search === undefined ? undefined : holdsText(customActions.nameKey, search),
    ],
    order: [asc(customActions.displayOrder), asc(customActions.nameKey), asc(customActions.id)],
    views: (rows) => rows.map(customActionView),
  })
  return { ...page, custom_actions: page.items }
}

/** Throws NotFoundError. */
export const getCustomAction = (ctx: Ctx, id: string): CustomActionView =>
  customActionView(actions.get(ctx, id))

/**
 * Creates a custom action. Throws InvalidError `unsupported_action_type` and `url_refused`, and
 * ConflictError `limit_reached`.
 */
export function createCustomAction(ctx: Ctx, input: NewCustomAction): CustomActionView {
  return transact(ctx.db, (tx) => {
    const id = ctx.ids.next()
    const columns = readAction(ctx, id, input, null)
    if (of(ctx, customActions).count() >= MAX_ACTIONS)
      throw new ConflictError(
        `An organization can have up to ${MAX_ACTIONS} custom actions. Delete one that is not needed.`,
        { code: 'limit_reached' },
      )
    const { icon = null, is_active: isActive = true, display_order: displayOrder = 0 } = input
    const name = input.name.trim()
    const named = { id, name, nameKey: foldText(name), icon }
    return customActionView(
      actions.addIn(tx, ctx, { ...named, ...columns, isActive, displayOrder }),
    )
  })
}

/**
 * Changes the given fields of a custom action. Throws NotFoundError and InvalidError
 * `unsupported_action_type` and `url_refused`.
 */
export function updateCustomAction(
  ctx: Ctx,
  id: string,
  changes: CustomActionChanges,
): CustomActionView {
  return transact(ctx.db, (tx) => {
    const before = actions.get(ctx, id)
    const { icon, is_active: isActive, display_order: displayOrder } = changes
    const name = changes.name?.trim() ?? before.name
    const named = { name, nameKey: foldText(name), icon }
    const columns = readAction(ctx, id, changes, before)
    return customActionView(
      actions.changeIn(tx, ctx, before, { ...named, ...columns, isActive, displayOrder }),
    )
  })
}

/** Deletes a custom action with its unused redirects. Throws NotFoundError. */
export function deleteCustomAction(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => actions.deleteIn(tx, ctx, actions.get(ctx, id)))
}
