import { useState } from 'react'

/** The rows of a list that are changed together. */
export interface Selection {
  ids: ReadonlySet<string>
  /** Whether all rows that match the list are meant, loaded or not. */
  isAll: boolean
  /** How many rows that are, as far as it is known. */
  all: number | null
  /** Whether boxes are shown although nothing is selected yet. */
  isOn: boolean
  toggle: (id: string) => void
  /** Selects everything between the row that was selected last and this one. */
  extendTo: (id: string) => void
  /** Selects the rows that are loaded. */
  selectLoaded: () => void
  /** Selects all rows that match the list. */
  selectAll: (count?: number | null) => void
  clear: () => void
  start: () => void
}

interface State {
  ids: ReadonlySet<string>
  last: string | null
  isAll: boolean
  all: number | null
  isOn: boolean
}

const NOTHING: State = { ids: new Set(), last: null, isAll: false, all: null, isOn: false }

interface Row {
  id: string
}

/** Returns the IDs from one row of the list to another, in whichever order. */
function between(items: readonly Row[], one: string | null, other: string): string[] {
  const to = items.findIndex(({ id }) => id === other)
  const from = items.findIndex(({ id }) => id === one)
  if (from === -1) return [other]
  return items.slice(Math.min(from, to), Math.max(from, to) + 1).map(({ id }) => id)
}

/** Keeps which rows of a list are selected. `listName` names the list: a new one starts empty. */
export function useSelection(items: readonly Row[], listName: string): Selection {
  const [known, setKnown] = useState({ listName, ...NOTHING })
  const state: State = known.listName === listName ? known : NOTHING
  const set = (next: State): void => {
    setKnown({ listName, ...next })
  }
  return {
    ids: state.ids,
    isAll: state.isAll,
    all: state.all,
    isOn: state.isOn || state.ids.size > 0,
    toggle: (id) => {
      const ids = new Set(state.ids)
      if (!ids.delete(id)) ids.add(id)
      set({ ids, last: id, isAll: false, all: null, isOn: state.isOn })
    },
    extendTo: (id) => {
      const ids = new Set([...state.ids, ...between(items, state.last, id)])
      set({ ids, last: id, isAll: false, all: null, isOn: state.isOn })
    },
    selectLoaded: () => {
      set({ ...state, ids: new Set(items.map(({ id }) => id)), isAll: false, all: null })
    },
    selectAll: (all = null) => {
      set({ ...state, ids: new Set(items.map(({ id }) => id)), isAll: true, all })
    },
    clear: () => {
      set(NOTHING)
    },
    start: () => {
      set({ ...state, isOn: true })
    },
  }
}
