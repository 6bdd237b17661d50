import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, type RefObject } from 'react'

import { report } from '../../parts/toast'
import { useLatest } from '../../parts/use-latest'
import type { FindNext } from './list/rows'
import type { Ways } from './thread/actions'
import type { Search } from './views'

/** The ways within the inbox. */
interface InboxWays {
  /** Shows a conversation, or with `null` none. */
  open: (id: string | null) => void
  /** Leads to a message of the conversation, or with `null` to the newest one. */
  jump: (message: string | null) => void
  onSearch: (search: Search) => void
  /** Where the list says what comes after a conversation. */
  after: RefObject<FindNext>
  ways: Ways
}

/** Returns the ways from the conversation that is shown, if one is, and from the list. */
export function useWays(conversationId: string | undefined): InboxWays {
  const search = useSearch({ from: '/inbox' })
  const navigate = useNavigate()
  const { message: _, ...kept } = search
  const open = useLatest((id: string | null): void => {
    const target =
      id === null
        ? navigate({ to: '/inbox', search: kept })
        : navigate({ to: '/inbox/$conversationId', params: { conversationId: id }, search: kept })
    target.catch(report)
  })
  const after = useRef<FindNext>(() => null)
  const shown = useRef(conversationId)
  useEffect(() => {
    shown.current = conversationId
  })
  return {
    open,
    jump: (message) => {
      navigate({ to: '.', search: message === null ? kept : { ...kept, message } }).catch(report)
    },
    onSearch: (change) => {
      navigate({ to: '.', search: change, replace: true }).catch(report)
    },
    after,
    ways: {
      after: (id) => {
        const next = after.current(id)
        return () => {
          // unless the person went elsewhere meanwhile
          if (shown.current === id) open(next)
        }
      },
      to: open,
    },
  }
}
