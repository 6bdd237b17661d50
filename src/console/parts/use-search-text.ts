import { useEffect, useRef, useState } from 'react'

import { useLatest } from './use-latest'

/**
 * Returns the text of a search field and how to change it. `onSearch` gets it after a pause in
 * typing, to put it into the address. When the address changes otherwise, by a link for example, the
 * field follows; `known` is the text of the address.
 */
export function useSearchText(
  known: string,
  pauseMs: number,
  onSearch: (text: string) => void,
): [string, (text: string) => void] {
  const [text, setText] = useState(known)
  const asked = useRef(known)
  const wanted = text.trim()
  const search = useLatest(onSearch)
  useEffect(() => {
    if (known === asked.current) return
    asked.current = known
    setText(known)
  }, [known])
  useEffect(() => {
    if (wanted === asked.current) return
    const timer = setTimeout(() => {
      asked.current = wanted
      search(wanted)
    }, pauseMs)
    return () => {
      clearTimeout(timer)
    }
  }, [wanted, pauseMs, search])
  return [text, setText]
}
