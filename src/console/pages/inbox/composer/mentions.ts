import { useEffect, useState } from 'react'

import { useApi } from '../../../live/query'
import { roleTitleOf } from '../../../parts/role-name'
import type { Written } from './canned'
import type { Suggestions } from './suggestions'
import type { DraftState } from './use-draft'

const MAX_SHOWN = 6
/** A name that is being typed at the end of the text before the cursor: up to three words. */
const TYPED = /(?:^|\s)@([\p{L}\p{N}.'-]*(?: [\p{L}\p{N}.'-]+){0,2})$/u

/** Suggests colleagues while a name is typed after `@`, and tells who a text mentions. */
export interface Mentions extends Suggestions {
  /** Returns the IDs of the colleagues whose names a text contains after `@`. */
  idsIn: (text: string) => string[]
}

/**
 * Returns the IDs of those whose names stand after an `@`. At each the longest name counts: who
 * mentions Ann Lee does not mention Ann.
 */
export function mentionedIn(text: string, people: ReadonlyMap<string, string>): string[] {
  const found = new Set<string>()
  for (const { index } of text.matchAll(/@/g)) {
    const rest = text.slice(index + 1)
    const fitting = [...people].filter(
      ([, name]) => rest.startsWith(name) && !/^[\p{L}\p{N}]/u.test(rest.slice(name.length)),
    )
    const longest = Math.max(...fitting.map(([, name]) => name.length))
    for (const [id, name] of fitting) if (name.length === longest) found.add(id)
  }
  return [...found]
}

/** Returns suggestions for the name before the cursor. Loads colleagues only while one is typed. */
export function useMentions(
  { text, setText }: Written,
  { people, learn }: Pick<DraftState, 'people' | 'learn'>,
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
  useEffect(() => {
    if (data) learn(data.items)
  }, [data, learn])
  const isComplete = data?.items.some(({ full_name: name }) => name === typed) ?? false
  const found = typed === undefined || isComplete ? [] : (data?.items ?? [])
  return {
    items: found.map(({ id, full_name: name, role_name: role }) => ({
      id,
      title: name,
      hint: roleTitleOf(role),
    })),
    chosen: Math.max(0, Math.min(chosen, found.length - 1)),
    choose,
    pick: (id) => {
      const name = found.find((one) => one.id === id)?.full_name ?? ''
      const start = cursor - (typed?.length ?? 0)
      setText(`${text.slice(0, start)}${name} ${text.slice(cursor)}`)
    },
    idsIn: (words) => mentionedIn(words, people),
  }
}
