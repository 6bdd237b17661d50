import { useState } from 'react'

import type { Keys } from './keys'

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
  // two changes in one go are both kept
  const change = (next: (before: State) => State): void => {
    setKnown((before) => ({
      listName,
      ...next(before.listName === listName ? before : NOTHING),
    }))
  }
  const loaded = (): Set<string> => new Set(items.map(({ id }) => id))
  return {
    ids: state.ids,
    isAll: state.isAll,
    all: state.all,
    isOn: state.isOn || state.ids.size > 0,
    toggle: (id) => {
      change(({ isOn, ids: before }) => {
        const ids = new Set(before)
        if (!ids.delete(id)) ids.add(id)
        return { ids, last: id, isAll: false, all: null, isOn }
      })
    },
    extendTo: (id) => {
      change(({ isOn, ids, last }) => ({
        ids: new Set([...ids, ...between(items, last, id)]),
        ...{ last: id, isAll: false, all: null, isOn },
      }))
    },
    selectLoaded: () => {
      change((before) => ({ ...before, ids: loaded(), isAll: false, all: null }))
    },
    selectAll: (all = null) => {
      change((before) => ({ ...before, ids: loaded(), isAll: true, all }))
    },
    clear: () => {
      change(() => NOTHING)
    },
    start: () => {
      change((before) => ({ ...before, isOn: true }))
    },
  }
}

/** Returns the keys of a row that select it, and others from it on. */
export function selectKeys({ toggle, extendTo }: Selection, id: string): Keys {
  const extendBy = (by: 'previous' | 'next') => () => {
    const other = document.activeElement?.[`${by}ElementSibling`]
    if (!(other instanceof HTMLElement) || other.dataset['id'] === undefined) return
    extendTo(id)
    other.focus()
    extendTo(other.dataset['id'])
  }
  const one = (): void => {
    toggle(id)
  }
  const range = (): void => {
    extendTo(id)
  }
  return {
    ...{ x: one, ' ': one, 'Shift+X': range, 'Shift+ ': range },
    ...{ 'Shift+ArrowDown': extendBy('next'), 'Shift+ArrowUp': extendBy('previous') },
  }
}
