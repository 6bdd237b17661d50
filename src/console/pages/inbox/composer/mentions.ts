import { useEffect, useRef, useState } from 'react'

import { useApi } from '../../../live/query'
import type { Written } from './canned'
import type { Suggestions } from './suggestions'

const MAX_SHOWN = 6
/** A name that is being typed at the end of the text before the cursor: up to three words. */
const TYPED = /(?:^|\s)@([\p{L}\p{N}.'-]*(?: [\p{L}\p{N}.'-]+){0,2})$/u

/** Suggests colleagues while a name is typed after `@`, and tells who a text mentions. */
export interface Mentions extends Suggestions {
  /** Returns the IDs of the colleagues whose names a text contains after `@`. */
  idsIn: (text: string) => string[]
}

/** Returns suggestions for the name before the cursor. Loads colleagues only while one is typed. */
export function useMentions(
  { text, setText }: Written,
  cursor: number,
  isWanted: boolean,
): Mentions {
  const typed = isWanted ? TYPED.exec(text.slice(0, cursor))?.[1] : undefined
  const { data } = useApi(
    'GET /api/colleagues',
    {
      query: {
        limit: MAX_SHOWN,
        ...(typed === undefined || typed === '' ? {} : { search: typed }),
      },
    },
    typed !== undefined,
  )
  const [chosen, choose] = useState(0)
  const seen = useRef(new Map<string, string>())
  useEffect(() => {
    for (const { id, full_name: name } of data?.items ?? []) seen.current.set(id, name)
  }, [data])
  const isComplete = data?.items.some(({ full_name: name }) => name === typed) ?? false
  const found = typed === undefined || isComplete ? [] : (data?.items ?? [])
  return {
    items: found.map(({ id, full_name: name, role_name: role }) => ({
      id,
      title: name,
      hint: role,
    })),
    chosen: Math.max(0, Math.min(chosen, found.length - 1)),
    choose,
    pick: (id) => {
      const name = found.find((one) => one.id === id)?.full_name ?? ''
      const start = cursor - (typed?.length ?? 0)
      setText(`${text.slice(0, start)}${name} ${text.slice(cursor)}`)
    },
    idsIn: (words) =>
      [...seen.current].filter(([, name]) => words.includes(`@${name}`)).map(([id]) => id),
  }
}
