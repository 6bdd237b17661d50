import { keepUi, useUi } from '../../../live/ui'

/** Under which name they are kept for the user. */
const SCREEN = 'templates'
/** How many are remembered. */
const MOST = 8

const idsIn = (kept: unknown): string[] => {
  const ids: unknown = typeof kept === 'object' && kept !== null ? Reflect.get(kept, 'recent') : []
  return Array.isArray(ids) ? ids.map(String) : []
}

/** Returns the templates with one that is used now in front. */
export const withUsed = (ids: readonly string[], id: string): string[] =>
  [id, ...ids.filter((one) => one !== id)].slice(0, MOST)

/** Returns which templates the user sent last, and how another one is remembered. */
export function useRecentTemplates(): { ids: readonly string[]; remember: (id: string) => void } {
  const ids = idsIn(useUi(SCREEN))
  return {
    ids,
    remember: (id) => {
      if (ids[0] === id) return
      // not remembering one hurts nobody
      keepUi(SCREEN, { recent: withUsed(ids, id) }).catch(() => undefined)
    },
  }
}

/** Returns templates in two groups: those that the user sent last, and the others, last used first. */
export function grouped<T extends { id: string; usage: { last_sent_at: string | null } }>(
  items: readonly T[],
  ids: readonly string[],
): { recent: T[]; others: T[] } {
  const recent = ids.flatMap((id) => items.find((one) => one.id === id) ?? [])
  const others = items
    .filter((one) => !recent.includes(one))
    .toSorted((one, other) =>
      (other.usage.last_sent_at ?? '').localeCompare(one.usage.last_sent_at ?? ''),
    )
  return { recent, others }
}
