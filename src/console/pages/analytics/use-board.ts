import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'

import { call } from '../../api/client'
import { ApiError } from '../../api/error'
import type { Board, Widget } from '../../api/shapes'
import { keyOf, useApi } from '../../live/query'
import { notify, report } from '../../parts/toast'
import { findText, t } from '../../texts/texts'
import { NEW } from './add-widget'
import { joined } from './board-order'

/** Whose board is shown. */
export type Whose = 'own' | 'organization'

/** What is sent of a board: not whether something that a widget names was deleted. */
export const sentOf = (widgets: readonly Widget[]) => ({
  widgets: widgets.map((one) => {
    const { id, problem: _, ...widget } = one
    return id === NEW ? widget : { id, ...widget }
  }),
})

/** The widgets that the server starts with have English titles. */
const inLanguage = (widgets: readonly Widget[]): Widget[] =>
  widgets.map((widget) => ({
    ...widget,
    title: findText(`analytics.board.default.${widget.id}`) ?? widget.title,
  }))

/** Returns the board as it is now if somebody else changed it meanwhile. */
const presentOf = (error: unknown): Board | null =>
  error instanceof ApiError && error.code === 'changed_meanwhile'
    ? (error.more.details as { present: Board }).present
    : null

/**
 * Returns a board and how it is saved: shown at once, one change after the other. What somebody else
 * changed meanwhile is kept.
 */
export function useBoard(whose: Whose) {
  const client = useQueryClient()
  const isOwn = whose === 'own'
  const own = useApi('GET /api/analytics/board', {}, isOwn)
  const all = useApi('GET /api/analytics/board/organization', {}, !isOwn)
  const result = isOwn ? own : all
  const saving = useRef<Promise<Board | null>>(Promise.resolve(null))
  const show = (next: Board): void => {
    client.setQueryData(
      isOwn ? keyOf('GET /api/analytics/board') : keyOf('GET /api/analytics/board/organization'),
      next,
    )
  }
  const send = async (widgets: readonly Widget[], ifMatch: string): Promise<Board> =>
    isOwn
      ? await call('PUT /api/analytics/board', { body: sentOf(widgets), ifMatch })
      : await call('PUT /api/analytics/board/organization', { body: sentOf(widgets), ifMatch })
  const store = async (widgets: readonly Widget[], seen: Board): Promise<Board> => {
    try {
      return await send(widgets, seen.updated_at)
    } catch (error) {
      const present = presentOf(error)
      if (!present) throw error
      notify(t('analytics.board.joined'))
      const [before, theirs] = [inLanguage(seen.widgets), inLanguage(present.widgets)]
      return await send(joined(before, widgets, theirs), present.updated_at)
    }
  }
  const save = async (widgets: readonly Widget[]): Promise<void> => {
    const { data } = result
    if (!data) return
    show({ ...data, widgets: [...widgets], is_default: false })
    const next = saving.current.then((last) =>
      store(widgets, last !== null && last.updated_at > data.updated_at ? last : data),
    )
    const settled = next.catch(() => null)
    saving.current = settled
    try {
      const stored = await next
      if (saving.current === settled) show(stored)
    } catch (error) {
      report(error)
      await result.refetch()
    }
  }
  return { result, save, inLanguage }
}
