import { useState, type KeyboardEvent } from 'react'

import { call } from '../../../api/client'
import type { CannedResponse, Conversation } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { report } from '../../../parts/toast'
import { t } from '../../../texts/texts'

const MAX_SHOWN = 6

/** Canned responses that fit what was typed after the slash. */
export interface Canned {
  items: CannedResponse[]
  chosen: number
  /** Fills in the values of the contact and hands over the words. */
  pick: (item: CannedResponse, onText: (text: string) => void) => void
  /** Handles arrows and Enter while the list is shown. Returns whether it did. */
  onKey: (event: KeyboardEvent, onText: (text: string) => void) => boolean
}

/** Finds canned responses while a text begins with a slash. */
export function useCanned(text: string, isWanted: boolean, { contact }: Conversation): Canned {
  const word = isWanted ? /^\/(\S*)$/.exec(text)?.[1]?.toLowerCase() : undefined
  const mayRead = useCan('canned_responses:read')
  const { data } = useApi(
    'GET /api/canned-responses',
    { query: { limit: 100, active_only: true } },
    word !== undefined && mayRead,
  )
  const [chosen, setChosen] = useState(0)
  const items =
    word === undefined
      ? []
      : (data?.items ?? [])
          .filter(({ name, shortcut }) =>
            [name, shortcut ?? ''].some((one) => one.toLowerCase().includes(word)),
          )
          .slice(0, MAX_SHOWN)
  const index = Math.min(chosen, items.length - 1)
  const pick: Canned['pick'] = ({ id }, onText) => {
    call('POST /api/canned-responses/{id}/render', {
      params: { id },
      body: { contact_id: contact.id },
    })
      .then(({ content: words }) => {
        onText(words)
      })
      .catch(report)
  }
  const onKey: Canned['onKey'] = (event, onText) => {
    const item = items[index]
    if (!item) return false
    if (event.key === 'Enter' || event.key === 'Tab') pick(item, onText)
    else if (event.key === 'ArrowDown') setChosen((index + 1) % items.length)
    else if (event.key === 'ArrowUp') setChosen((index + items.length - 1) % items.length)
    else return false
    event.preventDefault()
    return true
  }
  return { items, chosen: index, pick, onKey }
}

/** The canned responses that fit, above the field. */
export function CannedList({ canned, onPick }: { canned: Canned; onPick: (text: string) => void }) {
  if (canned.items.length === 0) return null
  return (
    <ul className="canned" aria-label={t('inbox.canned.title')}>
      {canned.items.map((item, index) => (
        <li key={item.id}>
          <button
            type="button"
            aria-current={index === canned.chosen}
            onClick={() => {
              canned.pick(item, onPick)
            }}
          >
            <b>
              {item.shortcut !== null && `/${item.shortcut} `}
              {item.name}
            </b>
            <span className="muted small" dir="auto">
              {item.content}
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}
