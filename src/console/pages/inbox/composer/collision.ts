import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import type { Conversation, Item } from '../../../api/shapes'
import { useMe } from '../../../live/me'
import { useApi } from '../../../live/query'
import { findMessage } from '../../../live/thread'
import { findText, t } from '../../../texts/texts'
import type { DraftState } from './use-draft'

/** Returns who wrote an outgoing message. */
const authorOf = (
  item: Pick<Item, 'sent_by' | 'source'> | null,
): { id: string | null; name: string | null } | null =>
  item && {
    id: item.sent_by?.id ?? null,
    name: item.sent_by?.name ?? findText(`inbox.source.${item.source}`),
  }

/** Whether a colleague sent a message after the draft was begun. */
export function useCollision({ last_message: last }: Conversation, draft: DraftState) {
  const client = useQueryClient()
  const me = useMe()
  const [confirmed, setConfirmed] = useState<string | null>(null)
  const started = draft.sinceMs
  const isNewer =
    last !== null &&
    last.direction === 'outgoing' &&
    started !== null &&
    Date.parse(last.timestamp) > started
  const known = last === null ? null : findMessage(client, last.id)
  // a thread that shows older messages has not loaded it
  const asked = useApi(
    'GET /api/messages/{id}',
    { params: { id: last?.id ?? '' } },
    isNewer && known === null,
  )
  const author = authorOf(known ?? asked.data ?? null)
  return {
    name: author?.name ?? t('inbox.source.agent'),
    isAsking: isNewer && author?.id !== me.id && confirmed !== last.id,
    confirm: () => {
      setConfirmed(last?.id ?? null)
    },
  }
}
