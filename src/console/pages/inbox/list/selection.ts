import { useState } from 'react'

import type { Conversation } from '../../../api/shapes'

/** The conversations of the list that are changed together. */
export interface Selection {
  ids: ReadonlySet<string>
  /** Whether all conversations that match the list are meant, loaded or not. */
  isAll: boolean
  /** Whether boxes are shown although nothing is selected yet. */
  isOn: boolean
  toggle: (id: string) => void
  /** Selects everything between the conversation that was selected last and this one. */
  extendTo: (id: string) => void
  selectAll: () => void
  clear: () => void
  start: () => void
}

interface State {
  ids: ReadonlySet<string>
  last: string | null
  isAll: boolean
  isOn: boolean
}

const NOTHING: State = { ids: new Set(), last: null, isAll: false, isOn: false }

/** Returns the IDs from one conversation of the list to another, in whichever order. */
function between(items: readonly Conversation[], one: string | null, other: string): string[] {
  const to = items.findIndex(({ id }) => id === other)
  const from = items.findIndex(({ id }) => id === one)
  if (from === -1) return [other]
  return items.slice(Math.min(from, to), Math.max(from, to) + 1).map(({ id }) => id)
}

/** Keeps which conversations of a list are selected. `listName` names the list: a new one starts empty. */
export function useSelection(items: readonly Conversation[], listName: string): Selection {
  const [known, setKnown] = useState({ listName, ...NOTHING })
  const state: State = known.listName === listName ? known : NOTHING
  const set = (next: State): void => {
    setKnown({ listName, ...next })
  }
  return {
    ids: state.ids,
    isAll: state.isAll,
    isOn: state.isOn || state.ids.size > 0,
    toggle: (id) => {
      const ids = new Set(state.ids)
      if (!ids.delete(id)) ids.add(id)
      set({ ids, last: id, isAll: false, isOn: state.isOn })
    },
    extendTo: (id) => {
      const ids = new Set([...state.ids, ...between(items, state.last, id)])
      set({ ids, last: id, isAll: false, isOn: state.isOn })
    },
    selectAll: () => {
      set({ ...state, ids: new Set(items.map(({ id }) => id)), isAll: true })
    },
    clear: () => {
      set(NOTHING)
    },
    start: () => {
      set({ ...state, isOn: true })
    },
  }
}
