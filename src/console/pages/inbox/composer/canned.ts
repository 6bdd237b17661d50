import { useState } from 'react'

import { call } from '../../../api/client'
import type { CannedResponse, Conversation } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { useCannedTarget } from '../../../parts/commands'
import { report } from '../../../parts/toast'
import type { Suggestions } from './suggestions'

const MAX_SHOWN = 6

/** What is written, as far as suggestions change it. */
export interface Written {
  text: string
  setText: (text: string) => void
}

/** The canned responses among which a word is looked for: the server finds it among many. */
function useListed(word: string | undefined): CannedResponse[] {
  const isWanted = word !== undefined
  const query = { limit: 100, active_only: true }
  const { data: first } = useApi('GET /api/canned-responses', { query }, isWanted)
  const isCut = first !== undefined && first.total !== first.items.length
  const isSearched = isWanted && isCut && word !== ''
  const search = { ...query, search: word ?? '' }
  const { data: found } = useApi('GET /api/canned-responses', { query: search }, isSearched)
  return (isSearched ? found?.items : isWanted ? first?.items : undefined) ?? []
}

/** Suggests canned responses while a text begins with a slash, filled in for the contact. */
export function useCanned(
  { text, setText }: Written,
  isWanted: boolean,
  { contact }: Conversation,
): Suggestions {
  const isOffered = useCan('canned_responses:read') && isWanted
  const word = isOffered ? /^\/(\S*)$/.exec(text)?.[1]?.toLowerCase() : undefined
  const listed = useListed(word)
  const [chosen, choose] = useState(0)
  const fillIn = (id: string, put: (words: string) => void): void => {
    call('POST /api/canned-responses/{id}/render', {
      params: { id },
      body: { contact_id: contact.id },
    })
      .then(({ content }) => {
        put(content)
        return call('POST /api/canned-responses/{id}/use', { params: { id } })
      })
      .catch(report)
  }
  const add = (id: string): void => {
    fillIn(id, (words) => {
      setText(text === '' ? words : `${text}\n${words}`)
    })
  }
  useCannedTarget(isOffered ? add : null)
  const found = listed
    .filter(({ name, shortcut }) =>
      [name, shortcut ?? ''].some((one) => one.toLowerCase().includes(word ?? '')),
    )
    .slice(0, MAX_SHOWN)
  return {
    items: found.map(({ id, name, shortcut, content }) => ({
      id,
      title: shortcut === null ? name : `/${shortcut} ${name}`,
      hint: content,
    })),
    chosen: Math.max(0, Math.min(chosen, found.length - 1)),
    choose,
    pick: (id) => {
      fillIn(id, setText)
    },
  }
}
