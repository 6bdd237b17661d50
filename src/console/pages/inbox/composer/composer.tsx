import { useCallback, useState } from 'react'

import type { Conversation } from '../../../api/shapes'
import { newRef } from '../../../live/outbox'
import { useOutbox } from '../../../live/outbox-context'
import type { Presence } from '../../../live/patch-conversations'
import { Button } from '../../../parts/button'
import { usePageCommands } from '../../../parts/commands'
import { useKeys } from '../../../parts/keys'
import { Guarded } from '../../../parts/loaded'
import { t } from '../../../texts/texts'
import type { Actions } from '../thread/actions'
import { isRecording, kindOf } from './file-kind'
import { BotNotice, OwnerNotice } from './owner-notice'
import { useScheduling } from './scheduled'
import { ScheduledList } from './scheduled-list'
import { TemplatePicker } from './template-picker'
import { useDraft } from './use-draft'
import { useFiles } from './use-files'
import { useNotes } from './use-notes'
import { useSchedule } from './use-schedule'
import { useIsWindowOpen } from './window'
import { Writer } from './writer'

/** What is written: a message, a note, a template, or a text without one while the window is closed. */
export type ComposerMode = 'message' | 'note' | 'template' | 'direct'

interface Props {
  conversation: Conversation
  /** Whose drafts are kept: organization and user. */
  owner: string
  mode: ComposerMode
  onMode: (mode: ComposerMode) => void
  onSent: () => void
  replyTo: string | null
  onReplyDone: () => void
  /** Answers a message again, unless another one was chosen meanwhile. */
  onReplyAgain: (id: string) => void
  others: readonly Presence[]
  onTyping: () => void
  onTakeOver: () => void
  onCloseAndNext: Actions['closeAndNext']
}

/** What can be written while the window is open, and while it is closed. */
const MODES = {
  open: ['message', 'note', 'template'],
  closed: ['template', 'direct', 'note'],
} as const

/** The keys and icons of what can be written. */
const LOOKS = {
  message: { shortcut: 'R', icon: 'reply' },
  note: { shortcut: 'N', icon: 'note' },
  template: { shortcut: 'T', icon: 'templates' },
  direct: { icon: 'reply' },
} as const

/** Longest text that goes with a file; longer ones are sent by themselves. */
const MAX_CAPTION = 1_024

/**
 * Returns how a text and files are sent: each file as a message of its own. The first file that can
 * have a caption takes the text. `isDirect` sends a text although the window is closed.
 */
function useSend(
  {
    conversation: { id: conversationId },
    replyTo,
    onReplyDone,
    onSent,
  }: Pick<Props, 'conversation' | 'replyTo' | 'onReplyDone' | 'onSent'>,
  isDirect: boolean,
): (text: string, files: readonly File[]) => void {
  const outbox = useOutbox()
  return (text, files): void => {
    const reply = replyTo === null ? {} : { reply_to: replyTo }
    // words that no file can carry are a message of their own
    const captioned =
      text.length > MAX_CAPTION ? undefined : files.find((file) => kindOf(file) !== 'audio')
    for (const file of files) {
      const ref = newRef()
      const type = kindOf(file)
      const words = file === captioned ? text : ''
      const caption = words === '' ? {} : { caption: words }
      const name = type === 'document' ? { filename: file.name } : {}
      const voice = isRecording(file) ? { voice: true } : {}
      const body = { type, client_ref: ref, ...caption, ...name, ...voice, ...reply }
      outbox.send({ ref, conversationId, body, file, preview: words === '' ? file.name : words })
    }
    if (text !== '' && captioned === undefined) {
      const ref = newRef()
      const direct = isDirect ? { direct: true } : {}
      const body = { type: 'text' as const, text, client_ref: ref, ...reply, ...direct }
      outbox.send({ ref, conversationId, body, preview: text })
    }
    onReplyDone()
    onSent()
  }
}

/** Lets the person choose what to write, by buttons, keys and commands. */
function useModes({ onMode }: Pick<Props, 'onMode'>, isOpen: boolean) {
  const [isAsked, setAsked] = useState(false)
  const onFocused = useCallback(() => {
    setAsked(false)
  }, [])
  const choose = (mode: ComposerMode): void => {
    setAsked(mode !== 'template')
    onMode(mode)
  }
  useKeys({
    n: () => {
      choose('note')
    },
    r: () => {
      choose('message')
    },
    t: () => {
      choose('template')
    },
  })
  usePageCommands(
    MODES[isOpen ? 'open' : 'closed'].map((one) => ({
      id: `write-${one}`,
      label: t(`inbox.write.${one}`),
      ...LOOKS[one],
      run: () => {
        choose(one)
      },
    })),
  )
  return { isAsked, onFocused, choose }
}

/** What is shown for what was chosen: the window may have closed or opened since. */
function modeShown(mode: ComposerMode, isOpen: boolean): ComposerMode {
  if (isOpen) return mode === 'direct' ? 'message' : mode
  return mode === 'message' ? 'template' : mode
}

/**
 * Where messages and notes are written. When the window is closed, only templates and texts without
 * one can be sent.
 */
export function Composer(props: Props) {
  const { conversation, owner, mode, replyTo, onReplyDone, others, onTyping } = props
  const isOpen = useIsWindowOpen(conversation)
  const { isAsked, onFocused, choose } = useModes(props, isOpen)
  // what is meant for colleagues must never stand where Enter sends to the customer
  const answer = useDraft(owner, conversation.id, 'message', replyTo, (id) => {
    if (id === null) onReplyDone()
    else props.onReplyAgain(id)
  })
  const note = useDraft(owner, conversation.id, 'note', null)
  const files = useFiles(owner, conversation.id)
  const scheduling = useScheduling(conversation)
  const shown = modeShown(mode, isOpen)
  const outbox = useOutbox()
  const send = useSend(props, shown === 'direct')
  const schedule = useSchedule({ ...props, start: scheduling.schedule }, answer)
  const addNote = useNotes(conversation, note)
  return (
    <div className={`composer ${shown}`}>
      <OwnerNotice conversation={conversation} onTakeOver={props.onTakeOver} />
      <BotNotice conversation={conversation} />
      <ComposerTop
        mode={shown}
        isOpen={isOpen}
        answering={others.find(({ doing }) => doing === 'typing')?.full_name ?? null}
        onMode={choose}
      />
      <ScheduledList
        items={scheduling.items}
        onSendNow={scheduling.sendNow}
        onCancel={scheduling.cancel}
      />
      {shown === 'template' ? (
        <Guarded needs="templates:read">
          <TemplatePicker
            conversation={conversation}
            onSent={() => {
              choose('message')
              props.onSent()
            }}
          />
        </Guarded>
      ) : (
        <Writer
          conversation={conversation}
          mode={shown}
          isAsked={isAsked}
          onFocused={onFocused}
          draft={shown === 'note' ? note : answer}
          chosen={files}
          replyTo={replyTo}
          onReplyDone={onReplyDone}
          onTyping={onTyping}
          onSend={shown === 'note' ? addNote : send}
          onSent={() => {
            props.onCloseAndNext(outbox.settled(conversation.id))
          }}
          onSchedule={schedule}
        />
      )}
    </div>
  )
}

interface TopProps {
  mode: ComposerMode
  isOpen: boolean
  /** A colleague who is writing an answer. */
  answering: string | null
  onMode: (mode: ComposerMode) => void
}

/** The choice between message, note and template, and what to know before writing. */
function ComposerTop({ mode, isOpen, answering, onMode }: TopProps) {
  const modes = MODES[isOpen ? 'open' : 'closed']
  return (
    <div className="composer-top">
      <div role="group" aria-label={t('inbox.composer.mode')} className="modes">
        {modes.map((one) => (
          <Button
            key={one}
            look="quiet"
            aria-pressed={one === mode}
            onPress={() => {
              onMode(one)
            }}
          >
            {t(`inbox.composer.${one}`)}
          </Button>
        ))}
      </div>
      {answering !== null && (
        <p role="status" className="small live">
          {t('inbox.presence.answering', { name: answering })}
        </p>
      )}
      {!isOpen && mode === 'template' && <p className="muted small">{t('inbox.window.closed')}</p>}
    </div>
  )
}
