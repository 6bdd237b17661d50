import { useQueryClient } from '@tanstack/react-query'
import { createContext, useContext, useEffect, useRef, useState, useSyncExternalStore } from 'react'

import { call } from '../../api/client'
import type { BotFlow } from '../../api/shapes'
import { useLine } from '../../live/line'
import { useCan } from '../../live/me'
import { keyOf } from '../../live/query'
import { notify } from '../../parts/toast'
import { t } from '../../texts/texts'
import type { Graph } from './model/graph'
import { FlowStore, type State } from './store'
import { useStart, type Start } from './use-start'

/** A flow that is edited, for everything that shows a part of it. */
export interface Editing extends State {
  store: FlowStore
  graph: Graph
  /** Whether the person may change it. */
  isEditable: boolean
  /** How it begins and ends. */
  start: Start
}

/** Opens a flow for editing. Its draft is stored when the page is left. */
export function useEditing(flow: BotFlow): Editing {
  const client = useQueryClient()
  const isEditable = useCan('flows:update')
  const { id } = flow
  const key = keyOf('GET /api/chatbot/flows/{id}', { params: { id } })
  const [store] = useState(
    () =>
      new FlowStore(flow, {
        save: async (graph, ifMatch) => {
          const body = { graph, publish: false }
          const saved = await call('PUT /api/chatbot/flows/{id}', { params: { id }, body, ifMatch })
          client.setQueryData(key, saved) // also after the page was left
          return saved
        },
        load: () => call('GET /api/chatbot/flows/{id}', { params: { id } }),
        check: (graph) => call('POST /api/chatbot/flows/validate', { body: { graph } }),
        onJoined: () => {
          notify(t('flow.joined'))
        },
      }),
  )
  useEffect(() => store.close, [store])
  const state = useSyncExternalStore(store.subscribe, store.snapshot)
  useEffect(() => {
    store.meet(flow) // it may have been loaded again
  }, [store, flow])
  useEffect(() => {
    // whoever comes back finds the flow as it is, and not as it was loaded
    if (client.getQueryData(key) !== state.flow) client.setQueryData(key, state.flow)
  }, [state.flow])
  useMeeting(store)
  const start = useStart(state.flow, store)
  return { ...state, store, graph: state.history.present, isEditable, start }
}

/** Meets what somebody else stored when the person looks at the page again, or is connected again. */
function useMeeting(store: FlowStore): void {
  const { state } = useLine()
  const before = useRef(state)
  useEffect(() => {
    const isBack = state === 'live' && before.current !== 'live'
    before.current = state
    if (isBack) store.refresh().catch(() => undefined)
  }, [store, state])
  useEffect(() => {
    const look = (): void => {
      if (document.visibilityState === 'visible') store.refresh().catch(() => undefined)
    }
    document.addEventListener('visibilitychange', look)
    return () => {
      document.removeEventListener('visibilitychange', look)
    }
  }, [store])
}

const Context = createContext<Editing | null>(null)

/** Gives the flow to what is inside. */
export const FlowProvider = Context.Provider

/** Returns the flow that is edited. */
export function useFlow(): Editing {
  const editing = useContext(Context)
  if (editing === null) throw new Error('There is no flow around this part.')
  return editing
}
