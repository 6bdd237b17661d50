import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'

import type { Conversation } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useUnsent } from '../../../live/outbox-context'
import type { Pages } from '../../../live/pages-of'
import { useApi } from '../../../live/query'
import type { ThreadPage } from '../../../live/thread'
import { Button, IconButton } from '../../../parts/button'
import { Empty } from '../../../parts/state'
import { formatDay } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { Bubble } from './bubble'
import { EventLine } from './event-line'
import { linesOf, type Line } from './lines'
import { NoteLine } from './note-line'
import { UnsentBubble } from './unsent-bubble'

interface Props {
  conversation: Conversation
  /** Whether notes arrived with the conversation. */
  isLoaded: boolean
  thread: Pages<ThreadPage>
  /** The message that is shown first; `null` is the newest. */
  anchor: string | null
  onOlder: () => void
  onNewer: () => void
  onReply: (messageId: string) => void
  /** Leads to a message, or with `null` to the newest one. */
  onJump: (messageId: string | null) => void
  onTemplate: () => void
  onEnd: (isInView: boolean) => void
}

/** Distance from the end at which new messages scroll into view, pixels. */
const AT_END_PX = 80
/** Rows before the end of what is loaded at which more is loaded. */
const AHEAD = 6
/** Rows that are drawn beyond those in view. */
const OVERSCAN = 8

/** Places the lines: those in view, beginning at the anchor or at the end, and kept at the end. */
function useRows(lines: Line[], anchor: string | null) {
  const box = useRef<HTMLDivElement>(null)
  const hasStarted = useRef(false)
  const [isAtEnd, setAtEnd] = useState(anchor === null)
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => 64,
    overscan: OVERSCAN,
    getItemKey: (index) => lines[index]?.id ?? index,
    anchorTo: 'end',
    followOnAppend: isAtEnd,
    scrollEndThreshold: AT_END_PX,
    paddingStart: 12,
    paddingEnd: 12,
  })
  useLayoutEffect(() => {
    if (hasStarted.current || lines.length === 0) return
    hasStarted.current = true
    const at = lines.findIndex((line) => line.kind === 'item' && line.item.id === anchor)
    if (at === -1) rows.scrollToEnd()
    else rows.scrollToIndex(at, { align: 'center' })
  }, [lines, anchor, rows])
  useEffect(() => {
    const { current } = box
    if (!current || !isAtEnd) return
    const observer = new ResizeObserver(() => {
      rows.scrollToEnd()
    })
    observer.observe(current)
    return () => {
      observer.disconnect()
    }
  }, [isAtEnd, rows])
  const onScroll = (): void => {
    const { current: at } = box
    if (at) setAtEnd(at.scrollHeight - at.scrollTop - at.clientHeight < AT_END_PX)
  }
  return { box, rows, isAtEnd, onScroll, hasStarted }
}

/** Loads what lies beyond the lines in view, and tells whether the end is in view. */
function useEdges(
  { box, rows, isAtEnd, hasStarted }: ReturnType<typeof useRows>,
  { thread, onOlder, onNewer, onEnd }: Props,
): void {
  const shown = rows.getVirtualItems()
  const count = rows.options.count
  const first = shown[0]?.index ?? 0
  const last = shown.at(-1)?.index ?? 0
  const hasNewer = thread.pages[0]?.hasNewer ?? false
  useEffect(() => {
    // asked of the box: the rows that are drawn lag behind the place that a thread begins at
    const top = rows.getVirtualItemForOffset(box.current?.scrollTop ?? 0)?.index ?? 0
    if (hasStarted.current && top < AHEAD + OVERSCAN) onOlder()
  }, [first, onOlder, hasStarted, rows, box])
  useEffect(() => {
    if (hasNewer && last > count - AHEAD) onNewer()
  }, [last, count, hasNewer, onNewer])
  useEffect(() => {
    onEnd(isAtEnd && !hasNewer)
  }, [isAtEnd, hasNewer, onEnd])
}

/** The messages of a thread, from old to new. Only those in view are in the page. */
export function Messages(props: Props) {
  const { conversation, isLoaded, thread, anchor, onReply, onJump, onTemplate } = props
  const hasNewer = thread.pages[0]?.hasNewer ?? false
  const unsent = useUnsent(conversation.id)
  const { data: timeline } = useApi('GET /api/conversations/{id}/timeline', {
    params: { id: conversation.id },
  })
  const mayReadNotes = useCan('contacts:read')
  const { data: notes } = useApi(
    'GET /api/contacts/{id}/notes',
    { params: { id: conversation.contact.id } },
    mayReadNotes && isLoaded,
  )
  const lines = useMemo(
    () => linesOf({ thread, unsent, events: timeline?.items ?? [], notes: notes?.items ?? [] }),
    [thread, unsent, timeline, notes],
  )
  const isNew = !lines.some(({ kind }) => kind === 'item' || kind === 'unsent')
  const view = useRows(lines, anchor)
  const { box, rows, isAtEnd, onScroll } = view
  useEdges(view, props)
  return (
    <div className="messages-frame">
      <div
        ref={box}
        className="messages"
        role="log"
        aria-label={t('inbox.thread.messages')}
        tabIndex={0}
        onScroll={onScroll}
      >
        <div className="lines" style={{ blockSize: rows.getTotalSize() }}>
          {rows.getVirtualItems().map((row) => {
            const line = lines[row.index]
            return (
              line && (
                <div
                  key={row.key}
                  ref={rows.measureElement}
                  data-index={row.index}
                  className="line"
                  style={{ transform: `translateY(${row.start}px)` }}
                >
                  <LineView
                    line={line}
                    conversation={conversation}
                    anchor={anchor}
                    onReply={onReply}
                    onJump={onJump}
                    onTemplate={onTemplate}
                  />
                </div>
              )
            )
          })}
        </div>
      </div>
      {isNew && <NothingYet onTemplate={onTemplate} />}
      {(!isAtEnd || hasNewer) && (
        <span className="to-end">
          <IconButton
            icon="down"
            label={t('inbox.thread.to-end')}
            onPress={() => {
              if (hasNewer) onJump(null)
              else rows.scrollToEnd()
            }}
          />
        </span>
      )}
    </div>
  )
}

/** What a conversation says in which nobody has written, with a way to begin. */
function NothingYet({ onTemplate }: Pick<Props, 'onTemplate'>) {
  const mayWrite = useCan('messages:create')
  return (
    <div className="nothing-yet">
      <Empty icon="inbox" title={t('inbox.thread.new')} hint={t('inbox.thread.new-hint')}>
        {mayWrite && <Button onPress={onTemplate}>{t('inbox.failure.template')}</Button>}
      </Empty>
    </div>
  )
}

interface LineProps extends Pick<
  Props,
  'conversation' | 'anchor' | 'onReply' | 'onJump' | 'onTemplate'
> {
  line: Line
}

function LineView({ line, conversation, anchor, onReply, onJump, onTemplate }: LineProps) {
  if (line.kind === 'day')
    return (
      <p className="day">
        <time dateTime={line.at}>{formatDay(line.at)}</time>
      </p>
    )
  if (line.kind === 'event') return <EventLine event={line.event} />
  if (line.kind === 'note') return <NoteLine note={line.note} />
  if (line.kind === 'unsent') return <UnsentBubble entry={line.entry} />
  return (
    <Bubble
      item={line.item}
      isFirst={line.isFirst}
      isMarked={line.item.id === anchor}
      contactName={conversation.contact.display_name ?? ''}
      onReply={onReply}
      onJump={onJump}
      onTemplate={onTemplate}
    />
  )
}
