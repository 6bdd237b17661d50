import { useState } from 'react'

import type { Conversation } from '../../../api/shapes'
import { useConversation } from '../../../live/conversation'
import { useCan } from '../../../live/me'
import { useThread } from '../../../live/thread'
import { Problem, Skeleton } from '../../../parts/state'
import { Composer } from '../composer/composer'
import { Panel } from '../panel/panel'
import { ThreadHead } from './head'
import { Messages } from './messages'
import { useActions } from './actions'
import { useMarkRead } from './mark-read'
import { usePresence } from './presence'

interface Props {
  conversationId: string
  /** A message to begin at. */
  anchor: string | null
  onClose: () => void
}

/** A conversation: its head, its messages, the composer, and the contact beside them. */
export function ThreadPane({ conversationId, anchor, onClose }: Props) {
  const conversation = useConversation(conversationId)
  if (conversation.isError)
    return (
      <section className="thread-pane">
        <Problem
          error={conversation.error}
          onRetry={() => {
            conversation.refetch().catch(() => undefined)
          }}
        />
      </section>
    )
  if (!conversation.data)
    return (
      <section className="thread-pane">
        <Skeleton shape="bubble" rows={7} />
      </section>
    )
  return (
    <OpenThread
      conversation={conversation.data}
      isLoaded={!conversation.isPlaceholderData}
      anchor={anchor}
      onClose={onClose}
    />
  )
}

interface OpenProps {
  conversation: Conversation
  isLoaded: boolean
  anchor: string | null
  onClose: () => void
}

/**
 * Whether the contact is shown: beside the thread as last time on this device; where it would cover
 * the thread only when it is asked for.
 */
function usePanel(): [boolean, () => void] {
  const [isOpen, setOpen] = useState(
    () => matchMedia('(width >= 75rem)').matches && localStorage.getItem('panel') !== 'closed',
  )
  return [
    isOpen,
    () => {
      localStorage.setItem('panel', isOpen ? 'closed' : 'open')
      setOpen(!isOpen)
    },
  ]
}

function OpenThread({ conversation, isLoaded, anchor, onClose }: OpenProps) {
  const thread = useThread(conversation.id, anchor, isLoaded)
  const [isPanelOpen, togglePanel] = usePanel()
  const [replyTo, setReplyTo] = useState<string | null>(null)
  const actions = useActions(conversation)
  const presence = usePresence(conversation.id)
  const mayWrite = useCan('messages:create')
  const onSeen = useMarkRead(conversation)
  return (
    <>
      <section className="thread-pane" aria-label={conversation.contact.display_name ?? ''}>
        <ThreadHead
          conversation={conversation}
          actions={actions}
          others={presence.others}
          isPanelOpen={isPanelOpen}
          onPanel={togglePanel}
          onClose={onClose}
        />
        {thread.isError && (
          <Problem
            error={thread.error}
            onRetry={() => {
              thread.refetch().catch(() => undefined)
            }}
          />
        )}
        {thread.isPending && <Skeleton shape="bubble" rows={7} />}
        {thread.data && (
          <Messages
            conversation={conversation}
            thread={thread.data}
            anchor={anchor}
            onOlder={() => {
              if (thread.hasNextPage && !thread.isFetchingNextPage)
                thread.fetchNextPage().catch(() => undefined)
            }}
            onNewer={() => {
              if (thread.hasPreviousPage && !thread.isFetchingPreviousPage)
                thread.fetchPreviousPage().catch(() => undefined)
            }}
            onReply={setReplyTo}
            onSeen={onSeen}
          />
        )}
        {mayWrite && (
          <Composer
            conversation={conversation}
            replyTo={replyTo}
            onReplyDone={() => {
              setReplyTo(null)
            }}
            others={presence.others}
            onTyping={presence.type}
            onTakeOver={actions.takeOver}
          />
        )}
      </section>
      {isPanelOpen && (
        <Panel conversation={conversation} isLoaded={isLoaded} onClose={togglePanel} />
      )}
    </>
  )
}
