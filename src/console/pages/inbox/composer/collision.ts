import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import type { Conversation, Item } from '../../../api/shapes'
import { useMe } from '../../../live/me'
import { findMessage } from '../../../live/thread'
import { findText, t } from '../../../texts/texts'
import type { DraftState } from './use-draft'

/** Returns who wrote an outgoing message. */
const authorOf = (item: Item | null): { id: string | null; name: string | null } | null =>
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
  const author = last === null ? null : authorOf(findMessage(client, last.id))
  const isNewer =
    last !== null &&
    last.direction === 'outgoing' &&
    author?.id !== me.id &&
    started !== null &&
    Date.parse(last.timestamp) > started
  return {
    name: author?.name ?? t('inbox.source.agent'),
    isAsking: isNewer && confirmed !== last.id,
    confirm: () => {
      setConfirmed(last?.id ?? null)
    },
  }
}
