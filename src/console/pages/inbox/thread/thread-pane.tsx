import { useCallback, useState } from 'react'

import { isTemporary } from '../../../api/error'
import type { Conversation } from '../../../api/shapes'
import { useConversation } from '../../../live/conversation'
import { readDraft } from '../../../live/drafts'
import { useCan, useMe } from '../../../live/me'
import { useThread } from '../../../live/thread'
import { Elsewhere } from '../../../parts/loaded'
import { Problem, Skeleton } from '../../../parts/state'
import { useLatest } from '../../../parts/use-latest'
import { Composer, type ComposerMode } from '../composer/composer'
import { Panel } from '../panel/panel'
import { usePanel } from '../panel/use-panel'
import { ThreadOutline } from '../thread-outline'
import { ThreadHead } from './head'
import { Messages } from './messages'
import { useActions, type Ways } from './actions'
import { newestToRead, useMarkRead } from './mark-read'
import { usePresence } from './presence'

interface Props {
  conversationId: string
  /** A message to begin at. */
  anchor: string | null
  /** Leads to a message of the conversation, or with `null` to the newest one. */
  onJump: (messageId: string | null) => void
  onClose: () => void
  ways: Ways
}

/** A query that may have failed, and can be run again. */
interface Query {
  error: unknown
  refetch: () => Promise<unknown>
}

/** Says why something could not be loaded, with a button that loads it again. */
const LoadError = ({ query }: { query: Query }) => (
  <Problem
    error={query.error}
    onRetry={() => {
      query.refetch().catch(() => undefined)
    }}
  >
    <Elsewhere error={query.error} />
  </Problem>
)

/**
 * A conversation: its head, its messages, the composer, and the contact beside them. It stays when it
 * cannot be loaded again for now.
 */
export function ThreadPane({ conversationId, ...rest }: Props) {
  const conversation = useConversation(conversationId)
  const isKept = conversation.data !== undefined && isTemporary(conversation.error)
  if (conversation.isError && !isKept)
    return (
      <section className="thread-pane">
        <LoadError query={conversation} />
      </section>
    )
  if (!conversation.data) return <ThreadOutline />
  return (
    <OpenThread
      conversation={conversation.data}
      isLoaded={!conversation.isPlaceholderData}
      query={conversation}
      {...rest}
    />
  )
}

interface OpenProps extends Omit<Props, 'conversationId'> {
  conversation: Conversation
  isLoaded: boolean
  /** The query that loaded the conversation. */
  query: Query
}

/** What is being written in a conversation: of which kind, and what it answers. */
function useWriting(conversationId: string) {
  const me = useMe()
  const owner = `${me.organization_id}/${me.id}`
  const [begun] = useState(() => ({
    answer: readDraft(owner, conversationId, 'message'),
    note: readDraft(owner, conversationId, 'note'),
  }))
  const [replyTo, setReplyTo] = useState(begun.answer?.replyTo ?? null)
  // a note that was begun is shown again, unless an answer was begun too
  const [mode, setMode] = useState<ComposerMode>(begun.note && !begun.answer ? 'note' : 'message')
  const showTemplates = useCallback(() => {
    setMode('template')
  }, [])
  return { owner, replyTo, setReplyTo, mode, setMode, showTemplates }
}

function OpenThread({ conversation, isLoaded, query, anchor, onJump, onClose, ways }: OpenProps) {
  const thread = useThread(conversation.id, anchor, isLoaded)
  const failed = [query, thread].find(({ error }) => error !== null)
  const panel = usePanel()
  const { owner, replyTo, setReplyTo, mode, setMode, showTemplates } = useWriting(conversation.id)
  const jump = useLatest(onJump)
  const reading = useMarkRead(conversation, newestToRead(thread.data?.pages[0]?.items ?? []))
  const actions = useActions(conversation, reading.stop, ways)
  const presence = usePresence(conversation)
  const mayWrite = useCan('messages:create')
  return (
    <>
      <section className="thread-pane" aria-label={conversation.contact.display_name ?? ''}>
        <ThreadHead
          conversation={conversation}
          actions={actions}
          others={presence.others}
          isPanelOpen={panel.isOpen}
          onPanel={panel.toggle}
          onClose={onClose}
        />
        {failed && <LoadError query={failed} />}
        {thread.isPending && (
          // takes the place of the messages, so that the composer stays where it is
          <div className="messages-frame">
            <Skeleton shape="bubble" rows={7} />
          </div>
        )}
        {thread.data && (
          <Messages
            // a jump begins a new list of messages, at its place
            key={anchor}
            conversation={conversation}
            isLoaded={isLoaded}
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
            onJump={jump}
            onTemplate={showTemplates}
            onEnd={reading.onEnd}
          />
        )}
        {mayWrite && (
          <Composer
            conversation={conversation}
            owner={owner}
            mode={mode}
            onMode={setMode}
            replyTo={replyTo}
            onSent={() => {
              presence.rest()
              // what was sent stands at the end
              if (anchor !== null) onJump(null)
            }}
            onReplyAgain={(id) => {
              setReplyTo((chosen) => chosen ?? id)
            }}
            onReplyDone={() => {
              setReplyTo(null)
            }}
            others={presence.others}
            onTyping={presence.type}
            onTakeOver={actions.takeOver}
            onCloseAndNext={actions.closeAndNext}
          />
        )}
      </section>
      {panel.isOpen && <Panel conversation={conversation} isLoaded={isLoaded} state={panel} />}
    </>
  )
}
