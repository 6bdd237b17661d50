import { useState } from 'react'

import { useSearchText } from '../use-search-text'
import { readFilter, writeFilter, type Filter, type Group } from './model'

/** Pause in editing after which a filter takes effect, milliseconds. */
const PAUSE_MS = 300

const textOf = (filter: Filter | null): string => (filter === null ? '' : JSON.stringify(filter))
const filterIn = (text: string): Filter | null =>
  text === '' ? null : (JSON.parse(text) as Filter)

/**
 * Returns a filter as it is edited, and how to change it. `onFilter` gets what it says after a pause.
 * When `known` changes otherwise, by a link for example, the editor follows.
 */
export function useFilter(
  known: Filter | null,
  onFilter: (filter: Filter | null) => void,
): [Group, (group: Group) => void] {
  const [text, setText] = useSearchText(textOf(known), PAUSE_MS, (wanted) => {
    onFilter(filterIn(wanted))
  })
  const [root, setRoot] = useState(() => readFilter(known))
  if (text !== textOf(writeFilter(root).filter)) {
    const next = readFilter(filterIn(text))
    // what the editor writes in other words says the same
    if (textOf(writeFilter(next).filter) !== textOf(writeFilter(root).filter)) setRoot(next)
  }
  return [
    root,
    (group) => {
      setRoot(group)
      setText(textOf(writeFilter(group).filter))
    },
  ]
}
