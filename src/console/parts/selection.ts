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
  /** Whether the user may select anything. */
  isAllowed: boolean
  toggle: (id: string) => void
  /**
   * Selects everything between the row that was selected last and this one; nearer to that row than
   * before, it selects less. From another row than the end of the last range, a new one begins.
   */
  extendTo: (id: string, from?: string) => void
  /** Selects the rows that are loaded. */
  selectLoaded: () => void
  /** Selects all rows that match the list. */
  selectAll: (count?: number | null) => void
  clear: () => void
  start: () => void
}

interface State {
  ids: ReadonlySet<string>
  /** The row from which a range is selected, its end so far, and what is selected besides. */
  anchor: string | null
  end: string | null
  besides: ReadonlySet<string>
  isAll: boolean
  all: number | null
  isOn: boolean
}

const NOBODY: ReadonlySet<string> = new Set()
/** A selection of nothing. */
export const NOTHING: State = {
  ...{ ids: NOBODY, anchor: null, end: null, besides: NOBODY },
  ...{ isAll: false, all: null, isOn: false },
}

interface Row {
  id: string
}
/** Rows before which some are not loaded. */
type Gaps = ReadonlySet<string> | undefined

/**
 * Returns the IDs from one row of the list to another, in whichever order. If rows between them are
 * not loaded, which some rows say of those before them, it is the other row alone.
 */
function between(items: readonly Row[], one: string, other: string, gaps?: Gaps): string[] {
  const to = items.findIndex(({ id }) => id === other)
  const from = items.findIndex(({ id }) => id === one)
  const ids = items.slice(Math.min(from, to), Math.max(from, to) + 1).map(({ id }) => id)
  return ids.slice(1).some((id) => gaps?.has(id)) ? [other] : ids
}

/** Returns a selection with one row more or less, from which a range may be selected. */
export function toggled(before: State, id: string): State {
  const ids = new Set(before.ids)
  if (!ids.delete(id)) ids.add(id)
  return { ...before, ids, anchor: id, end: id, besides: ids, isAll: false, all: null }
}

/** Returns a selection whose range ends at another row. */
export function extended(
  before: State,
  items: readonly Row[],
  { id, from = before.end, gaps }: { id: string; from?: string | null | undefined; gaps?: Gaps },
): State {
  const isHere = (one: string | null): one is string => items.some((row) => row.id === one)
  const isSame = from === before.end && isHere(before.anchor)
  const anchor = isSame ? before.anchor : isHere(from) ? from : id
  const besides = isSame ? before.besides : before.ids
  return {
    ...{
      ids: new Set([...besides, ...between(items, anchor ?? id, id, gaps)]),
      anchor,
      end: id,
      besides,
    },
    ...{ isAll: false, all: null, isOn: before.isOn },
  }
}

/** Keeps which rows of a list are selected. `listName` names the list: a new one starts empty. */
export function useSelection(
  items: readonly Row[],
  listName: string,
  isAllowed = true,
  gaps?: Gaps,
): Selection {
  const [known, setKnown] = useState({ listName, ...NOTHING })
  const state: State = known.listName === listName ? known : NOTHING
  // two changes in one go are both kept
  const change = (next: (before: State) => State): void => {
    if (!isAllowed) return
    setKnown((before) => ({
      listName,
      ...next(before.listName === listName ? before : NOTHING),
    }))
  }
  const withLoaded = (before: State): State => {
    const ids = new Set(items.map(({ id }) => id))
    return { ...before, ids, besides: ids, isAll: false, all: null }
  }
  return {
    ids: state.ids,
    isAll: state.isAll,
    all: state.all,
    isOn: state.isOn || state.ids.size > 0,
    isAllowed,
    toggle: (id) => {
      change((before) => toggled(before, id))
    },
    extendTo: (id, from) => {
      change((before) => extended(before, items, { id, from, gaps }))
    },
    selectLoaded: () => {
      change(withLoaded)
    },
    selectAll: (all = null) => {
      change((before) => ({ ...withLoaded(before), isAll: true, all }))
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
    other.focus()
    extendTo(other.dataset['id'], id)
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
