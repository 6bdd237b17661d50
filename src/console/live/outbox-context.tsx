import { useQueryClient } from '@tanstack/react-query'
import {
  createContext,
  useContext,
  useEffect,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from 'react'

import { dropDraftsOfOthers } from './drafts'
import { useLine } from './line'
import { useMe } from './me'
import { isUnseen, Outbox, type Outgoing } from './outbox'

const OutboxContext = createContext<Outbox | null>(null)

/** Returns the outbox of the signed-in user. */
export function useOutbox(): Outbox {
  const outbox = useContext(OutboxContext)
  if (!outbox) throw new Error('There is no outbox around this part.')
  return outbox
}

const NONE: Outgoing[] = []

/** Returns the messages of a conversation that the server has not accepted yet. */
export function useUnsent(conversationId: string): Outgoing[] {
  const outbox = useOutbox()
  const client = useQueryClient()
  const unsent = useSyncExternalStore(outbox.subscribe, outbox.all).filter(
    (entry) => entry.conversationId === conversationId && isUnseen(client, entry),
  )
  // mostly there are none; the same array then spares the thread to be put together again
  return unsent.length === 0 ? NONE : unsent
}

/** Sends what the signed-in user writes. */
export function OutboxProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient()
  const me = useMe()
  const [outbox, setOutbox] = useState<Outbox | null>(null)
  useEffect(() => {
    dropDraftsOfOthers(me.id)
    const opened = new Outbox(client, `${me.organization_id}/${me.id}`)
    opened.resume().catch(() => undefined)
    setOutbox(opened)
    return () => {
      opened.stop()
    }
  }, [client, me.organization_id, me.id])
  const { state } = useLine()
  useEffect(() => {
    if (state === 'live') outbox?.hurry()
  }, [state, outbox])
  return outbox && <OutboxContext value={outbox}>{children}</OutboxContext>
}
