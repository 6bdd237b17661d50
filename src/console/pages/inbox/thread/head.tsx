import type { Conversation } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import type { Presence } from '../../../live/patch-conversations'
import { useNow } from '../../../live/use-now'
import { Avatar } from '../../../parts/avatar'
import { IconButton } from '../../../parts/button'
import { useIsNarrow } from '../../../parts/narrow'
import { formatDateTime, formatDuration, formatMore } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { nameOf, numberBeside } from '../../../parts/contact/name'
import { ownerWords } from '../owner'
import type { Actions } from './actions'
import { HeadActions } from './head-actions'

interface Props {
  conversation: Conversation
  actions: Actions
  others: readonly Presence[]
  isPanelOpen: boolean
  onPanel: () => void
  onClose: () => void
}

/** Remaining window from which on it is counted down, milliseconds. */
const COUNTDOWN_MS = 2 * 3_600_000
const COUNTDOWN_STEP_MS = 30_000

/** Who the conversation is with, its state, and what can be done with it. */
export function ThreadHead({
  conversation,
  actions,
  others,
  isPanelOpen,
  onPanel,
  onClose,
}: Props) {
  const mayWrite = useCan('messages:create')
  return (
    <header className="thread-head">
      <span className="only-narrow">
        <IconButton icon="left" label={t('inbox.thread.back')} onPress={onClose} />
      </span>
      <Avatar name={conversation.contact.display_name} />
      <div className="grow thread-title">
        <div className="thread-name">
          <h2 dir="auto" title={nameOf(conversation.contact)}>
            {nameOf(conversation.contact)}
          </h2>
          {!isPanelOpen && <Tags conversation={conversation} />}
        </div>
        <p className="muted small" dir="auto">
          <Facts conversation={conversation} others={others} isPanelOpen={isPanelOpen} />
        </p>
      </div>
      {mayWrite && <HeadActions {...{ conversation, actions, isPanelOpen, onPanel }} />}
      <span className={mayWrite ? 'only-wide' : ''}>
        <IconButton
          icon="panel"
          label={t(isPanelOpen ? 'inbox.panel.hide' : 'inbox.panel.show')}
          aria-pressed={isPanelOpen}
          onPress={onPanel}
        />
      </span>
    </header>
  )
}

const MAX_TAGS = 3

/** The first tags of the customer, where there is room; the panel has all. */
function Tags({ conversation }: Pick<Props, 'conversation'>) {
  const { tags } = conversation.contact
  if (tags.length === 0) return null
  return (
    <span className="thread-tags">
      {tags.slice(0, MAX_TAGS).map(({ id, name, color }) => (
        <span key={id} className="chip">
          <span className={`tag-dot tag-${color}`} />
          <bdi>{name}</bdi>
        </span>
      ))}
      {tags.length > MAX_TAGS && (
        <span className="muted small">{formatMore(tags.length - MAX_TAGS)}</span>
      )}
    </span>
  )
}

/** One line: who else is here, the number, the owner, the window, the state. */
function Facts({
  conversation,
  others,
  isPanelOpen,
}: Pick<Props, 'conversation' | 'others' | 'isPanelOpen'>) {
  const { window_expires_at: end, state, snoozed_until: snoozed } = conversation
  const now = useNow(COUNTDOWN_STEP_MS)
  const isNarrow = useIsNarrow()
  const leftMs = end === null ? 0 : Date.parse(end) - now
  const isClosing = leftMs > 0 && leftMs < COUNTDOWN_MS
  const time = formatDuration(leftMs)
  // the panel has it
  const number = isPanelOpen || isNarrow ? null : numberBeside(conversation.contact)
  const typing = others.find(({ doing }) => doing === 'typing')
  if (typing)
    return <b className="live">{t('inbox.presence.typing', { name: typing.full_name })}</b>
  const facts = [
    ...(isClosing ? [t(isNarrow ? 'inbox.window.left' : 'inbox.window.closing', { time })] : []),
    ...(others.length > 0
      ? [t('inbox.presence.viewing', { name: others.map((one) => one.full_name).join(', ') })]
      : []),
    ...(number === null ? [] : [`\u2066${number}\u2069`]),
    ownerWords(conversation),
    ...(isNarrow || isClosing
      ? []
      : [leftMs > 0 ? t('inbox.window.open', { time }) : t('inbox.window.shut')]),
    ...(state === 'snoozed'
      ? [
          snoozed === null
            ? t('inbox.state.snoozed-reply')
            : t('inbox.state.snoozed-until', { time: formatDateTime(snoozed) }),
        ]
      : state === 'open'
        ? []
        : [t(`inbox.state.${state}`)]),
  ]
  return facts.join(' · ')
}
