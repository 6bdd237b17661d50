import { useRef, useState, type RefObject } from 'react'

import type { Conversation } from '../../../api/shapes'
import { usePreferences } from '../../../live/me'
import { useKeys } from '../../../parts/keys'
import { t } from '../../../texts/texts'
import { useCanned } from './canned'
import { useCollision } from './collision'
import { DirectCost, useDirectTerms } from './direct-cost'
import { useEmojis } from './emojis'
import { FileChips } from './file-chips'
import { markOf, withMark, type Mark } from './marks'
import { useMentions } from './mentions'
import { ReplyLine } from './reply-line'
import type { Schedule } from './scheduled'
import { onSuggestionKey, SuggestionList } from './suggestions'
import type { DraftState } from './use-draft'
import type { ChosenFiles } from './use-files'
import { useFocus } from './use-focus'
import { WriterTools } from './writer-tools'

interface Props {
  conversation: Conversation
  /** `direct`: a text while the window is closed. */
  mode: 'message' | 'note' | 'direct'
  /** Whether the person has just asked to write, and the cursor has not moved there yet. */
  isAsked: boolean
  /** Called when the cursor is where the person asked for it. */
  onFocused: () => void
  draft: DraftState
  /** The files of an answer; a note has none. */
  chosen: ChosenFiles
  replyTo: string | null
  onReplyDone: () => void
  onTyping: () => void
  onSend: (text: string, files: readonly File[], mentions: string[]) => void
  /** Called when an answer is on its way after which the conversation is to be closed. */
  onSent: () => void
  onSchedule: (text: string, schedule: Schedule) => void
}

/** Longest texts, in characters. */
const MAX_LENGTHS = { message: 4_096, note: 4_096, direct: 1_024 }

/** Returns what marks the selected words. */
const marksIn =
  (field: RefObject<HTMLTextAreaElement | null>, draft: DraftState) =>
  (wanted: Mark): void => {
    const { current } = field
    if (!current) return
    const { selectionStart: from, selectionEnd: to } = current
    const next = withMark({ text: draft.text, from, to }, wanted)
    draft.setText(next.text)
    // once the field has the new text, and the menu has given the focus back
    setTimeout(() => {
      current.focus()
      current.setSelectionRange(next.from, next.to)
    })
  }

/** What is written, its files, and how it is sent. */
function useWriter({ conversation, mode, draft, chosen, onSend, onSent }: Props) {
  const field = useRef<HTMLTextAreaElement>(null)
  const { files, setFiles } = chosen
  const maxLength = MAX_LENGTHS[mode]
  const takesFiles = mode === 'message'
  const [isAsked, setAsked] = useState(false)
  const collision = useCollision(conversation, draft)
  const isMessage = mode !== 'note'
  const terms = useDirectTerms(conversation, mode === 'direct')
  const [cursor, setCursor] = useState(draft.text.length)
  // the cursor stays where it was, seen from the end
  const written = {
    text: draft.text,
    setText: (next: string) => {
      setCursor(next.length - (draft.text.length - cursor))
      draft.setText(next)
    },
  }
  const mentions = useMentions(written, draft, cursor, !isMessage)
  const emojis = useEmojis(written, cursor)
  const text = draft.text.trim()
  const isTooLong = text.length > maxLength
  const isEmpty = text === '' && (files.length === 0 || !takesFiles)
  // what it costs is shown before
  const isReady = !isEmpty && !isTooLong && (mode !== 'direct' || terms.isKnown)
  /** Whether the person must be asked first; asks them then. */
  const asks = (): boolean => {
    const mustAsk = isMessage && collision.isAsking
    setAsked(mustAsk)
    if (mustAsk) collision.confirm()
    return mustAsk
  }
  const send = (): boolean => {
    if (!isReady || asks()) return false
    onSend(text, takesFiles ? files : [], isMessage ? [] : mentions.idsIn(text))
    draft.clear()
    // files wait for the next message that can have some
    if (takesFiles) setFiles([])
    return true
  }
  const sendAndClose = (): void => {
    if (send()) onSent()
  }
  /** Sends a recording; what is typed stays. Returns whether it was sent. */
  const sendRecording = (file: File): boolean => {
    if (asks()) return false
    onSend('', [file], [])
    return true
  }
  const insert = (words: string): void => {
    const at = field.current?.selectionStart ?? draft.text.length
    draft.setText(draft.text.slice(0, at) + words + draft.text.slice(at))
    field.current?.focus()
  }
  const mark = marksIn(field, draft)
  const addFiles = (added: FileList | null): void => {
    // copied now: the list of an input is emptied with it
    const copy = [...(added ?? [])]
    if (takesFiles && copy.length > 0) chosen.add(copy)
  }
  const own = {
    field,
    files,
    setFiles,
    isReady,
    isTooLong,
    maxLength,
    isMessage,
    takesFiles,
    terms,
    collidesWith: isAsked ? collision.name : null,
  }
  return {
    ...own,
    ...{ mentions, emojis, setCursor },
    ...{ send, sendAndClose, sendRecording },
    ...{ insert, mark, addFiles },
  }
}

/** The field in which a message or a note is written. */
export function Writer(props: Props) {
  const { conversation, mode, draft, replyTo, onReplyDone, onTyping } = props
  const writer = useWriter(props)
  const { field, isMessage, takesFiles, maxLength, send, addFiles, emojis } = writer
  const canned = useCanned(draft, isMessage, conversation)
  const { isEnterBreak } = usePreferences()
  const suggested = emojis.items.length > 0 ? emojis : isMessage ? canned : writer.mentions
  useFocus(field, props)
  useKeys({
    r: () => {
      field.current?.focus()
    },
    // canned responses begin with a slash
    '/': () => {
      if (isMessage && draft.text === '') draft.setText('/')
      field.current?.focus()
    },
  })
  return (
    <div
      className="writer"
      onDragOver={(event) => {
        event.preventDefault()
      }}
      onDrop={(event) => {
        event.preventDefault()
        addFiles(event.dataTransfer.files)
      }}
    >
      {replyTo !== null && isMessage && <ReplyLine id={replyTo} onCancel={onReplyDone} />}
      {writer.collidesWith !== null && (
        <p role="alert" className="small live">
          {t('inbox.composer.collision', { name: writer.collidesWith })}
        </p>
      )}
      <SuggestionList {...suggested} label={labelOf(emojis.items.length > 0, isMessage)} />
      {takesFiles && <FileChips files={writer.files} onChange={writer.setFiles} />}
      {writer.isTooLong && (
        <p role="alert" className="small over">
          {t('inbox.composer.too-long', {
            over: draft.text.trim().length - maxLength,
            max: maxLength,
          })}
        </p>
      )}
      <textarea
        ref={field}
        dir="auto"
        rows={2}
        aria-label={t(`inbox.composer.${mode}`)}
        placeholder={t(HINTS[mode])}
        value={draft.text}
        onChange={({ currentTarget }) => {
          draft.setText(currentTarget.value)
          writer.setCursor(currentTarget.selectionStart)
          if (isMessage) onTyping()
        }}
        onPaste={({ clipboardData }) => {
          addFiles(clipboardData.files)
        }}
        onKeyDown={(event) => {
          if (onSuggestionKey(suggested, event)) return
          const asked = markOf(event)
          if (asked) {
            event.preventDefault()
            writer.mark(asked)
          }
          if (event.key === 'Escape') event.currentTarget.blur()
          if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
          if (event.shiftKey !== isEnterBreak && !event.ctrlKey && !event.metaKey) return
          event.preventDefault()
          if (isMessage && event.shiftKey && (event.ctrlKey || event.metaKey)) writer.sendAndClose()
          else send()
        }}
      />
      {mode === 'direct' && <DirectCost {...writer.terms} />}
      <WriterTools {...writer} text={draft.text} onSchedule={props.onSchedule} />
    </div>
  )
}

/** What stands in the empty field. */
const HINTS = {
  message: 'inbox.composer.hint',
  note: 'inbox.composer.note-hint',
  direct: 'inbox.composer.direct-hint',
} as const

/** Names the suggestions. */
const labelOf = (isEmoji: boolean, isMessage: boolean): string =>
  isEmoji ? t('inbox.composer.emoji') : t(isMessage ? 'inbox.canned.title' : 'inbox.mentions.title')
