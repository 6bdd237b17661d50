import { useRef, useState, type ReactNode } from 'react'

import { call } from '../../api/client'
import type { BotFlow } from '../../api/shapes'
import { differing, useDraft, type Draft } from '../../parts/draft'
import { useMerged, type Merge } from '../../parts/merge'
import { isAbort } from '../../parts/toast'
import { t } from '../../texts/texts'
import { valuesOf, type FlowValues } from './start-values'
import type { FlowStore } from './store'

const MERGE: Merge<FlowValues> = {
  read: (present) => valuesOf(present as BotFlow),
  label: (field) => t(`flow.setting.${field as 'name'}`),
}

/** How a flow begins and ends while it is edited, which outlives the panel that shows it. */
export interface Start {
  draft: Draft<FlowValues>
  isChanged: boolean
  isBusy: boolean
  /** Why it could not be saved. */
  error: unknown
  /** Saves what was changed, if anything was. Rejects if it cannot be saved. */
  save: () => Promise<void>
  discard: () => void
  /** The window in which a person chooses between their changes and those of somebody else. */
  windows: ReactNode
}

/** Keeps what a person changes about how a flow begins and ends until it is saved. */
export function useStart(flow: BotFlow, store: FlowStore): Start {
  const draft = useDraft(valuesOf(flow))
  const merged = useMerged(MERGE)
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const isSaving = useRef(false)
  const isChanged = Object.keys(draft.changes).length > 0
  const keep = async (): Promise<void> => {
    await store.flush()
    const { changes, seen } = draft
    await merged.save(changes, seen, async (mine, known) => {
      const { updated_at: _at, ...body } = mine
      const now = valuesOf(store.snapshot().flow)
      // the draft of the steps may have been stored since; whatever else was is looked at first
      const isAsSeen = Object.keys(differing(now, known)).every((name) => name === 'updated_at')
      const ifMatch = known === seen && isAsSeen ? now.updated_at : known.updated_at
      const sent = { params: { id: flow.id }, body: body as Partial<FlowValues>, ifMatch }
      store.took(await call('PUT /api/chatbot/flows/{id}', sent))
    })
    draft.discard(changes) // what was changed meanwhile stays
  }
  const save = async (): Promise<void> => {
    if (!isChanged || isSaving.current) return
    isSaving.current = true
    setBusy(true)
    setError(null)
    try {
      await keep()
    } catch (problem) {
      if (!isAbort(problem)) setError(problem)
      throw problem
    } finally {
      isSaving.current = false
      setBusy(false)
    }
  }
  return {
    ...{ draft, isChanged, isBusy, error, save, windows: merged.windows },
    discard: () => {
      setError(null)
      draft.discard()
    },
  }
}
