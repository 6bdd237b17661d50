import { useQueryClient } from '@tanstack/react-query'
import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react'

import { call } from '../../api/client'
import type { BotFlow } from '../../api/shapes'
import { useCan } from '../../live/me'
import { keyOf } from '../../live/query'
import { notify } from '../../parts/toast'
import { t } from '../../texts/texts'
import type { Graph } from './model/graph'
import { FlowStore, type State } from './store'

/** A flow that is edited, for everything that shows a part of it. */
export interface Editing extends State {
  store: FlowStore
  graph: Graph
  /** Whether the person may change it. */
  isEditable: boolean
}

/** Opens a flow for editing. Its draft is stored when the page is left. */
export function useEditing(flow: BotFlow): Editing {
  const client = useQueryClient()
  const isEditable = useCan('flows:update')
  const { id } = flow
  const [store] = useState(
    () =>
      new FlowStore(flow, {
        save: async (graph, ifMatch) => {
          const body = { graph, publish: false }
          const saved = await call('PUT /api/chatbot/flows/{id}', { params: { id }, body, ifMatch })
          client.setQueryData(keyOf('GET /api/chatbot/flows/{id}', { params: { id } }), saved)
          return saved
        },
        check: (graph) => call('POST /api/chatbot/flows/validate', { body: { graph } }),
        onJoined: () => {
          notify(t('flow.joined'))
        },
      }),
  )
  useEffect(() => store.close, [store])
  const state = useSyncExternalStore(store.subscribe, store.snapshot)
  return { ...state, store, graph: state.history.present, isEditable }
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
